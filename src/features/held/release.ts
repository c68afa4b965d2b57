import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { SubmissionOptions } from '../../core/users/acceptance.ts';
import type { StoredSubmission } from '../../core/users/submission-writes.ts';
import type { SubmissionService } from '../../core/users/submissions.service.ts';
import { KeyReused } from '../../platform/core/errors.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import { appliedKey } from '../idempotency/idempotency-keys.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import { withRenamedKeys } from '../renames/renames.ts';
import type { HeldDocument, HeldStore } from './held.model.ts';

export type HeldRelease = ReturnType<typeof createHeldRelease>;

/** Stores what is held, after an operator or the person agreed (spec 4.5). */
export function createHeldRelease(deps: {
  store: Pick<HeldStore, 'remove' | 'noteApplied'>;
  submissions: SubmissionService;
  renames: Pick<RenameStore, 'since'>;
  clock: Pick<DatabaseClock, 'read'>;
}) {
  const { store, submissions, renames, clock } = deps;

  /** Resolves with the data under the keys of a later schema version, by default the newest. */
  async function dataFor({ appId, data, schemaVersion }: HeldDocument, version = Number.POSITIVE_INFINITY) {
    if (version <= schemaVersion) return data;
    const later = await renames.since(appId, schemaVersion);
    return later.filter((one) => one.version <= version).reduce(withRenamedKeys, data);
  }

  return {
    dataFor,

    /**
     * Stores an entry once as if it came now: by the newest schema, under the new keys of renamed
     * fields. A repeat within 24 hours, and a submission that was stored under the same
     * `Idempotency-Key`, store nothing. Only `maxRecords` and the schema can refuse it; it then
     * stays held. Values of fields that the newest schema does not show are left out,
     * and `today` is the day on which it was sent.
     *
     * @throws {NoRecord} when the record that it changes is gone
     * @throws {AppError} as `SubmissionService.submit`
     */
    async release(sourceAppId: string, entry: HeldDocument): Promise<StoredSubmission> {
      const { appId, email, data, page, lang, key, content, recordId } = entry;
      const source = async ({ schema }: Lease) => ({ email, data: await dataFor(entry, schema.version) });
      const to = {
        via: 'form',
        page,
        lang,
        ofApp: appId,
        isApproved: true,
        heldAs: entry._id,
        sentAt: entry.at,
        ...(recordId && { recordId }),
      } as const;
      const submit = (sentUnder: NonNullable<SubmissionOptions['sentUnder']>) =>
        submissions.submit(sourceAppId, source, { sentUnder, ...to });
      const before = new Date((await clock.read()).getTime() + READ_HOLDS_MS);
      // No client can send a key with a space. The content is the same under each schema.
      const ownKey = appliedKey(`held ${entry._id.toHexString()}`, { data }, entry.at);
      // The record of a change has its key: it answers repeats since then.
      const stored = await submit(key && content && !recordId ? { key, content } : ownKey).catch((error) => {
        if (error instanceof KeyReused) return submit(ownKey);
        throw error;
      });
      await (recordId ? store.noteApplied(entry, before) : store.remove(entry, before));
      return stored;
    },
  };
}
