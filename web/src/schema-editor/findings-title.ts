import { count } from '../components/count.ts';

/** Names the number of checked records that newly fail a schema. */
export function findingsTitle(check: { checked: number; newlyFailing: number; complete: boolean }): string {
  const { checked, newlyFailing, complete } = check;
  const records = count(checked, 'stored record');
  if (newlyFailing === checked) {
    if (!complete) return `All of the newest ${records} newly fail`;
    return checked === 1 ? 'The only stored record newly fails' : `All ${records} newly fail`;
  }
  const of = complete ? records : `the newest ${records}`;
  if (newlyFailing === 0) return `None of ${of} newly fails`;
  return `${newlyFailing.toLocaleString()} of ${of} newly ${newlyFailing === 1 ? 'fails' : 'fail'}`;
}
