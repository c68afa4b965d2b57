import type { StoredSubmission } from './store/submission-store.ts';

/**
 * The answer to a submission (spec 4.1). A held one is answered like a stored one, so that a bot
 * sees a success.
 */
export function presentSubmitted({ id, createdAt, updatedAt }: StoredSubmission) {
  return { id: id.toString(), createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
