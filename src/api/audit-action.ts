import type { Types } from 'mongoose';

/** Changes. Each is an event of its own in the audit log (spec 4.9). */
export const AUDITED_CHANGES = [
  'login',
  'app.created',
  'app.deleted',
  'password.replaced',
  'schema.replaced',
  'form.replaced',
  'retention.replaced',
  'user.changed',
  'user.erased',
  'users.erased',
  'person.erased',
  'held.released',
  'held.deleted',
  'key.created',
  'key.deleted',
  'import.created',
  'import.uploaded',
  'import.started',
  'import.deleted',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.tested',
  'webhook.secret.replaced',
  'webhook.replayed',
] as const;

/** Looks at the data of many people, or at everything of one. Equal ones become one event. */
export const AUDITED_LOOKS = [
  'schema.checked',
  'users.listed',
  'users.exported',
  'person.exported',
  'held.listed',
  'import.rejects.exported',
] as const;

/** What an endpoint can declare as its event. */
export type AuditAction = (typeof AUDITED_CHANGES)[number] | (typeof AUDITED_LOOKS)[number];

/** Who did something. */
export interface AuditActor {
  kind: 'operator' | 'admin' | 'key' | 'command line' | 'anonymous';
  /** The `sourceAppId` of a session, or the id of an API key. */
  id?: string;
  /** The address of the client. */
  address?: string | undefined;
}

/** The app that an event concerns. */
export interface AuditedApp {
  /** Absent when the app does not exist any more. */
  id?: Types.ObjectId | undefined;
  sourceAppId: string;
}

/**
 * What a handler says of the event of its request. None of it may be personal data: no email, no
 * value of a record, no text of a search.
 */
export interface AuditFacts {
  /** Default: the app that the request names, or that of the caller. Null: all apps. */
  app?: AuditedApp | null;
  /** The id of what was changed. Default: `id` of the path, or the app that the path names. */
  target?: string;
  detail?: Readonly<Record<string, string | number | boolean>>;
  /** Default: the caller. */
  actor?: AuditActor;
}
