import { BSON } from 'mongodb';
import type { Show } from '../../core/users/record-list.ts';
import type { UserDocument } from '../../core/users/users.model.ts';
import { decodeExactly } from '../../platform/database/collections.ts';
import type { RenamesByApp } from './rename-store.ts';
import { type PendingRenames, withRenamedKeys } from './renames.ts';

/** Returns a record as it is after its move. */
export function shownRecord<Shown extends Pick<UserDocument, 'data' | 'schemaVersion'>>(
  record: Shown,
  renames: PendingRenames | undefined,
): Shown {
  if (!renames || !(Number(record.schemaVersion) < renames.version)) return record;
  const data = withRenamedKeys(record.data, renames);
  return data === record.data ? record : { ...record, data };
}

/** {@link shownRecord} for BSON. A projection without `data` is returned unchanged. */
export function shownBytes(bytes: Uint8Array, renamesOf: (record: UserDocument) => PendingRenames | undefined) {
  const record = decodeExactly<UserDocument>(bytes);
  if (typeof record.data !== 'object' || record.data === null) return bytes;
  const shown = shownRecord(record, renamesOf(record));
  return shown === record ? bytes : BSON.serialize(shown, { ignoreUndefined: false });
}

/** Resolves with the pending renames of all apps, valid within the last lease. */
export type RecentRenames = () => Promise<RenamesByApp>;

/** Shows records as after their move. Await it before reading: a move may end in between. */
export async function showing(recentRenames: RecentRenames): Promise<Show> {
  const byApp = await recentRenames();
  if (byApp.size === 0) return (documents) => documents;
  return (documents, appId) => {
    if (appId && !byApp.has(appId.toHexString())) return documents;
    return documents.map((bytes) => shownBytes(bytes, (record) => byApp.get(String(record.appId))));
  };
}
