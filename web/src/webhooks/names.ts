import type { Delivery, Webhook } from '../api/endpoints.ts';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { appPath, type Scope } from '../users/scope.ts';

/** The events that webhooks get. */
export const EVENTS = Object.keys(t.webhooks.events) as Webhook['events'];

/** What receives events: a program, or a chat that gets messages for people. */
export const FORMATS = Object.keys(t.webhooks.formats) as Webhook['format'][];

/** Whether only the origin of the URL is shown. */
export const hidesUrl = ({ format }: Pick<Webhook, 'format'>): boolean => format !== 'standard';

/** The states of deliveries, with the colours of their badges. */
export const DELIVERY_COLORS = {
  waiting: 'yellow',
  delivered: 'green',
  failed: 'red',
} satisfies Record<Delivery['state'], string>;

/** The path of the webhooks of an app, or of one of them. */
export function webhooksPath(app: Pick<Scope, 'sourceAppId'>, id?: string): string {
  const base = appPath(app, 'webhooks');
  return id === undefined ? base : `${base}/${id}`;
}

/** A duration of an attempt, for example `41 ms` or `15 s`. */
export function milliseconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${formatNumber(Math.round(ms / 100) / 10)} s`;
}
