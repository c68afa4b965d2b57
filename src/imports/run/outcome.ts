import { type BatchOutcome, MAX_ERRORS, noCounts } from '../import-store.ts';
import type { Reject } from '../rejects/reject-store.ts';
import type { Results } from './batch-writer.ts';
import type { LineBatch } from './line-batches.ts';
import { isRejected } from './line-planner.ts';

/**
 * An import ends when it has rejected this many lines (spec 8): each is kept for 30 days, and a
 * file may have a line for every two bytes.
 */
export const MAX_REJECTS = 1_000_000;
/** How it ends. */
export const TOO_MANY_REJECTS: Pick<BatchOutcome, 'end' | 'failure'> = {
  end: 'failed',
  failure: 'A million lines were rejected; correct the rest of the file and import it again',
};

export const ERASED = 'the person was erased';
export const SUPPRESSED = 'the person was erased and must not be imported again';

/**
 * Counts the results of a batch, and lists the lines that were rejected.
 *
 * @param aborts whether the first rejected line ends the import
 */
export function outcomeOf(
  { entries, end, isLast }: LineBatch,
  results: Results,
  aborts: boolean,
): { outcome: BatchOutcome; rejected: Reject[] } {
  const counters = noCounts();
  const outcome: BatchOutcome = { counters, errors: [], position: end, ...(isLast && { end: 'completed' }) };
  const rejected: Reject[] = [];
  for (const { line, checked } of entries) {
    const isUnread = checked.email === undefined && outcome.end !== 'aborted';
    const result = isUnread ? { rejected: checked.refusal ?? '' } : results.get(line.number);
    if (result === undefined) continue;
    counters.read += 1;
    if (!isRejected(result)) {
      counters[result] += 1;
      continue;
    }
    counters.rejected += 1;
    const { number, text } = line;
    // What says why keeps nothing of a person who was erased.
    const isErased = result.rejected === ERASED || result.rejected === SUPPRESSED;
    rejected.push({ line: number, reason: result.rejected, ...(!isErased && { email: checked.email, text }) });
    outcome.errors.push({ line: number, message: result.rejected });
    if (aborts) outcome.end = 'aborted';
  }
  outcome.errors = outcome.errors.slice(0, MAX_ERRORS);
  return { outcome, rejected };
}
