import type { Types } from 'mongoose';
import type { RawDocuments } from '../../database/bson/raw-batches.ts';
import type { RenamesByApp } from '../../schemas/renames/pending-renames.ts';
import { shownBytes } from './record-moves.ts';

/** Resolves with the pending renames of all apps, as they were within the last lease. */
export type RecentRenames = () => Promise<RenamesByApp>;

export const NO_RENAMES: RecentRenames = () => Promise.resolve(new Map());

/**
 * Resolves with a function that shows records as they are after the move of renamed fields. Await
 * it before the records are read: when a move ends in between, they are read as moved.
 */
export async function showing(
  recentRenames: RecentRenames,
): Promise<(documents: RawDocuments, appId: Types.ObjectId | undefined) => RawDocuments> {
  const byApp = await recentRenames();
  if (byApp.size === 0) return (documents) => documents;
  return (documents, appId) => {
    if (appId && !byApp.has(appId.toHexString())) return documents;
    return documents.map((bytes) => shownBytes(bytes, (record) => byApp.get(String(record.appId))));
  };
}
