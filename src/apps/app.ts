import type { ObjectId } from 'mongodb';
import { FILE_CONSUMER } from './app-consumers.ts';
import type { AppDocument } from './apps.model.ts';
import type { StoredFormSettings } from './form-settings.ts';
import type { AppIndexes, IndexSlot } from './index-slots.ts';

/** An app without its password hash (spec 2.2). */
export interface App extends Pick<AppDocument, 'sourceAppId' | 'role' | 'credentialId' | 'createdAt'> {
  id: ObjectId;
  /** Approximate (activity.ts). */
  lastSubmissionAt: Date | undefined;
  form: StoredFormSettings | undefined;
  slots: readonly IndexSlot[] | undefined;
  words?: AppIndexes['words'];
  /** Undefined when the app has used no slot. */
  slotEpoch: number | undefined;
  /** Whether events of its records are stored (spec 6). */
  hasConsumers: boolean;
  /** Whether its records may name files. */
  keepsFiles?: boolean;
  /** Whether submissions are part of the history of records (spec 4.3.5). */
  keepsSubmissions: boolean;
}

/** Returns what the other features read of a stored app. */
export function toApp(app: AppDocument): App {
  const { _id, sourceAppId, role, credentialId, createdAt, lastSubmissionAt, form, slots, slotEpoch } = app;
  const { consumers, words } = app;
  const keepsSubmissions = app.history?.submissions === true;
  const used = slots?.length ? slots : undefined;
  const hasConsumers = consumers !== undefined && consumers.length > 0;
  const keepsFiles = hasConsumers && consumers.includes(FILE_CONSUMER);
  const known = { id: _id, sourceAppId, role, credentialId, createdAt, lastSubmissionAt, form };
  return { ...known, slots: used, ...(words && { words }), slotEpoch, hasConsumers, keepsFiles, keepsSubmissions };
}
