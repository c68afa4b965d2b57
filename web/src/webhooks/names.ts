import type { Delivery, Webhook } from '../api/endpoints.ts';
import { appPath, type Scope } from '../users/scope.ts';

/** The events in words. */
export const EVENTS = [
  { type: 'user.created', name: 'Created', note: 'A person submitted for the first time.' },
  { type: 'user.updated', name: 'Updated', note: 'A record changed. The event names the changed paths.' },
  { type: 'user.erased', name: 'Erased', note: 'A record was erased. The event has its ID only.' },
] as const satisfies readonly { type: Webhook['events'][number]; name: string; note: string }[];

/** The formats, with what to enter as the URL. */
export const FORMATS = [
  {
    value: 'standard',
    name: 'Program',
    place: 'The address of the program that receives the signed events. It begins with https://.',
  },
  { value: 'slack', name: 'Slack', place: 'The URL of an incoming webhook of a Slack app.' },
  { value: 'discord', name: 'Discord', place: 'The URL of a webhook of a channel, from its integrations.' },
  {
    value: 'teams',
    name: 'Microsoft Teams',
    place: 'The URL of a workflow that posts to a channel when a webhook request is received.',
  },
  {
    value: 'text',
    name: 'Plain text',
    place: 'The address that receives the message as plain text, such as a topic of ntfy.',
  },
] as const satisfies readonly { value: Webhook['format']; name: string; place: string }[];

/** Whether only the origin of the URL is shown. */
export const hidesUrl = ({ format }: Pick<Webhook, 'format'>): boolean => format !== 'standard';

export const DISABLED_REASONS = {
  operator: 'Switched off by an operator',
  gone: 'It answered 410 Gone',
  failing: 'Every attempt failed for five days',
} satisfies Record<NonNullable<Webhook['disabledReason']>, string>;

export const DELIVERY_STATES = {
  waiting: { name: 'Waiting', color: 'yellow' },
  delivered: { name: 'Delivered', color: 'green' },
  failed: { name: 'Failed', color: 'red' },
} satisfies Record<Delivery['state'], { name: string; color: string }>;

/** The path of the webhooks of an app, or of one of them. */
export function webhooksPath(app: Pick<Scope, 'sourceAppId'>, id?: string): string {
  const base = appPath(app, 'webhooks');
  return id === undefined ? base : `${base}/${id}`;
}

/** A duration of an attempt, for example `41 ms` or `15 s`. */
export function milliseconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`;
}
