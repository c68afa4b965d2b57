import type { App } from '../../apps/app.ts';
import { InvalidInput, KeyReused, NotFound } from '../../core/errors.ts';
import { withRenamedKeys } from '../../fields/renames.ts';
import type { RenameStore } from '../../schemas/renames/pending-renames.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import { parseRecordId, type RecordId } from '../../users/record-id.ts';
import { appliedKey } from '../store/idempotency-keys.ts';
import type { StoredSubmission } from '../store/submission-store.ts';
import type { SubmissionOptions } from '../submission-options.ts';
import type { SubmissionService } from '../submissions.service.ts';
import type { HeldDocument, HoldReason } from './held.model.ts';
import type { HeldStore } from './held-store.ts';

type AppRef = Pick<App, 'id' | 'sourceAppId'>;

export type HeldService = ReturnType<typeof createHeldService>;

/** What operators do with held submissions (spec 4.5). */
export function createHeldService(deps: {
  store: HeldStore;
  submissions: SubmissionService;
  renames: Pick<RenameStore, 'since'>;
}) {
  const { store, submissions, renames } = deps;

  /**
   * The data of an entry under the keys of a later schema version: with the renames that were made
   * after the submission came, one version after the other.
   */
  async function dataFor({ appId, data, schemaVersion }: HeldDocument, version: number) {
    if (version <= schemaVersion) return data;
    const later = await renames.since(appId, schemaVersion);
    return later.filter((one) => one.version <= version).reduce(withRenamedKeys, data);
  }

  return {
    /**
     * Resolves with a page of the app's held submissions, newest first.
     *
     * @param cursor the `next` of the page before
     * @throws {InvalidInput} when the cursor is not one
     */
    async list({ id }: AppRef, limit: number, cursor?: string): Promise<{ held: HeldDocument[]; next?: string }> {
      const { held, next } = await store.page(id, limit, cursor === undefined ? undefined : parseCursor(cursor));
      return { held, ...(next && { next: Buffer.from(next.buffer).toString('base64url') }) };
    },

    /** Resolves with the number of the app's held submissions, by reason. */
    counts: ({ id }: AppRef): Promise<Record<HoldReason, number>> => store.counts(id),

    /**
     * Stores a held submission as if it came now: checked by the newest schema, and once, also when
     * it is released again at the same time or, within 24 hours, after a crash, and also when the
     * same submission was stored under its `Idempotency-Key`. Values of fields that were renamed
     * since it came are stored under the new keys. An operator approved it, so only `maxRecords`
     * and the schema can refuse it; it then stays held.
     *
     * @throws {NotFound} when the app holds none of this id
     * @throws {AppError} as `SubmissionService.submit`
     */
    async release({ id: appId, sourceAppId }: AppRef, id: string): Promise<StoredSubmission> {
      const entry = await store.find(appId, id);
      if (!entry) throw notFound();
      const { email, data, page, key, content } = entry;
      const source = async ({ schema }: Lease) => ({ email, data: await dataFor(entry, schema.version) });
      const submit = (sentUnder: NonNullable<SubmissionOptions['sentUnder']>) =>
        submissions.submit(sourceAppId, source, { sentUnder, page, approvedFor: appId });
      // A space: no client can send this key. The content is the same under each schema.
      const ownKey = appliedKey(`held ${entry._id.toHexString()}`, { data }, entry.at);
      const stored = await submit(key && content ? { key, content } : ownKey).catch((error) => {
        if (error instanceof KeyReused) return submit(ownKey);
        throw error;
      });
      await store.remove(appId, id);
      return stored;
    },

    /** Deletes a held submission. @throws {NotFound} when the app holds none of this id */
    async remove({ id: appId }: AppRef, id: string): Promise<void> {
      if (!(await store.remove(appId, id))) throw notFound();
    },
  };
}

function notFound(): NotFound {
  return new NotFound('Held submission not found');
}

/** A cursor is the base64url form of an id. */
function parseCursor(cursor: string): RecordId {
  const bytes = Buffer.from(cursor, 'base64url');
  const id = bytes.length === 16 && bytes.toString('base64url') === cursor && parseRecordId(bytes.toString('hex'));
  if (!id) throw new InvalidInput('Invalid query parameters', [{ path: 'cursor', message: 'is not a cursor' }]);
  return id;
}
