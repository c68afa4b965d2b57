import type { Types } from 'mongoose';
import type { PersonData } from '../users/people/person-data.ts';
import { type ContentStore, MissingContent } from './content/content-store.ts';
import { createPersonLines } from './content/person-lines.ts';
import { unlistedOf } from './content/upload.ts';
import type { ImportStore } from './import-store.ts';
import type { ImportDocument, RejectCollection } from './imports.model.ts';
import { importOf } from './rejects/reject-store.ts';

const BATCH_SIZE = 100;
const BY_EMAIL = { email: 1, appId: 1 } as const;

/**
 * What imports hold of a person: rejected lines, and lines of files that are kept until their
 * import ends. An erasure overwrites the lines in the files, and unfinished imports pass over lines
 * of the person that they have read already.
 */
export function createImportsOfPerson(deps: {
  store: ImportStore;
  content: ContentStore;
  rejects: RejectCollection;
}): PersonData {
  const { store, content, rejects } = deps;

  const linesOf = createPersonLines(content);

  /**
   * Overwrites the lines of a person in the content of an import; resolves with their number. Chunks
   * that were stored before the right to write the file ended, and are not listed, are removed: no
   * request can list them any more.
   */
  async function eraseLines(importId: Types.ObjectId, email: string): Promise<number> {
    const stored = await content.idsOf(importId);
    const one = stored.length > 0 ? await store.endUpload(importId) : undefined;
    // The content of one that has ended is being removed.
    if (one?.cleanup) await content.removeAll(importId);
    if (!one || one.cleanup) return 0;
    await content.remove(unlistedOf(stored, one));
    const last = one.chunks.at(-1);
    if (last) await content.touch(last);
    let erased = 0;
    for await (const _ of linesOf(one, email, true)) erased += 1;
    return erased;
  }

  return {
    name: 'importLines',

    async *entriesOf(appIds, email) {
      for await (const one of store.withContent(appIds)) {
        const id = one._id.toHexString();
        for await (const text of linesOf(one, email, false)) {
          yield { appId: one.appId, shown: { kind: 'import-line', import: id, text } };
        }
      }
      const found = rejects.find(ofPerson(appIds, email), { hint: BY_EMAIL, batchSize: BATCH_SIZE });
      for await (const reject of found) {
        const { appId, line, reason, row } = reject;
        const shown = { import: importOf(reject), line, reason, ...(row !== undefined && { text: row }) };
        yield { appId, shown: { kind: 'import-reject', ...shown } };
      }
    },

    async eraseOf(appIds, email) {
      const writing: ImportDocument[] = [];
      for await (const one of store.exclude(appIds, email)) writing.push(one);
      let erased = 0;
      for await (const { _id } of store.withContent(appIds)) {
        erased += await eraseLines(_id, email).catch((error: unknown) => {
          // It ended meanwhile.
          if (error instanceof MissingContent) return eraseLines(_id, email);
          throw error;
        });
      }
      // What was inserted before the import knew of the erasure is erased with the records.
      await store.batchesEnded(writing);
      const forgotten = await rejects.updateMany(
        ofPerson(appIds, email),
        { $unset: { email: 1, row: 1 } },
        { hint: BY_EMAIL },
      );
      return erased + forgotten.modifiedCount;
    },
  };
}

const ofPerson = (appIds: readonly Types.ObjectId[], email: string) => ({ email, appId: { $in: [...appIds] } });
