import { t } from '../../texts/texts.ts';

/** Names the number of checked records that newly fail a schema. */
export function findingsTitle(check: { checked: number; newlyFailing: number; complete: boolean }): string {
  const { checked, newlyFailing, complete } = check;
  const texts = t.schemaEditor;
  if (newlyFailing === checked) {
    if (!complete) return texts.allNewestFail(checked);
    return checked === 1 ? texts.onlyFails : texts.allFail(checked);
  }
  if (newlyFailing === 0) return complete ? texts.noneFails(checked) : texts.noneOfNewestFails(checked);
  return complete ? texts.someFail(newlyFailing, checked) : texts.someOfNewestFail(newlyFailing, checked);
}
