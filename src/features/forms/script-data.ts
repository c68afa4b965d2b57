import type { Code } from '../../platform/languages/catalogue.ts';
import type { Language } from '../../platform/languages/languages.ts';
import type { Text } from '../../platform/languages/texts.ts';
import { hasSteps } from '../display/form-steps.ts';
import type { FormControl } from '../display/presentation.ts';

/** The texts of the script of a form with pages or conditions. */
export const STEP_TEXTS = [
  'nextPage',
  'previousPage',
  'pageOf',
  'required',
  'mustBeTrue',
  'notEmail',
  'notNumber',
  'notDate',
  'tooShort',
  'tooLong',
  'tooSmall',
  'tooLarge',
  'tooEarly',
  'tooLate',
  'invalid',
] as const satisfies readonly Code[];

/** Returns these texts; undefined for a form without pages and conditions. */
export function stepTexts(
  controls: readonly FormControl[],
  { template }: Language,
): Record<(typeof STEP_TEXTS)[number], Text> | undefined {
  if (!hasSteps(controls)) return undefined;
  return Object.fromEntries(STEP_TEXTS.map((code) => [code, template(code)])) as ReturnType<typeof stepTexts>;
}

/** The texts of the script of a form with files. */
export const FILE_TEXTS = [
  'dropFiles',
  'removeFile',
  'retryFile',
  'fileArrived',
  'fileRemoved',
  'fileCut',
  'filesPending',
  'tooManyFiles',
  'fileTooLarge',
] as const satisfies readonly Code[];

/** Returns these texts; undefined for a form without files. */
export function fileTexts(
  controls: readonly FormControl[],
  { template }: Language,
): Record<(typeof FILE_TEXTS)[number], Text> | undefined {
  if (!controls.some(({ type }) => type === 'file')) return undefined;
  return Object.fromEntries(FILE_TEXTS.map((code) => [code, template(code)])) as ReturnType<typeof fileTexts>;
}

/** The texts for files of a list of controls, serialized once. */
const filesOfControls = new WeakMap<readonly FormControl[], string | undefined>();

/** The texts for files, as JSON; undefined for a form without files. */
export function filesData(controls: readonly FormControl[], language: Language): string | undefined {
  if (!filesOfControls.has(controls)) {
    const texts = fileTexts(controls, language);
    filesOfControls.set(controls, texts && JSON.stringify(texts));
  }
  return filesOfControls.get(controls);
}

/** The conditions of a list of controls for the script, serialized once. */
const stepsOfControls = new WeakMap<readonly FormControl[], string | undefined>();

/** The conditions and their texts, as JSON; undefined for a form without pages and conditions. */
export function stepsData(controls: readonly FormControl[], language: Language): string | undefined {
  if (!stepsOfControls.has(controls)) {
    const conditions = controls.map(({ key, kind, required, showIf, requiredIf }) => {
      return { key, kind, required, showIf, requiredIf };
    });
    const texts = stepTexts(controls, language);
    stepsOfControls.set(controls, texts && JSON.stringify({ fields: conditions, texts }));
  }
  return stepsOfControls.get(controls);
}
