import type { ObjectId } from 'mongodb';
import type { AppDocument, Role } from './apps.model.ts';
import type { StoredFormSettings } from './form-settings.ts';
import type { IndexSlot } from './index-slots.ts';

/** An app without its password hash (spec 2.2). */
export interface App {
  id: ObjectId;
  sourceAppId: string;
  role: Role;
  credentialId: string;
  createdAt: Date;
  /** The time of the latest submission; approximate (activity.ts). */
  lastSubmissionAt: Date | undefined;
  /** Undefined while the app has the default settings. */
  form: StoredFormSettings | undefined;
  /** The index slots in use; undefined when there are none (decision 21). */
  slots: readonly IndexSlot[] | undefined;
  /** The epoch of `slots`; undefined when the app never used one since epochs exist. */
  slotEpoch: number | undefined;
  /** Whether somebody listens to the events of its records (spec 6). */
  hasConsumers: boolean;
}

/** Returns what the other features know of a stored app. */
export function toApp(app: AppDocument): App {
  const { _id, sourceAppId, role, credentialId, createdAt, lastSubmissionAt, form, slots, slotEpoch, consumers } = app;
  const used = slots?.length ? slots : undefined;
  const hasConsumers = consumers !== undefined && consumers.length > 0;
  const known = { id: _id, sourceAppId, role, credentialId, createdAt, lastSubmissionAt, form };
  return { ...known, slots: used, slotEpoch, hasConsumers };
}
