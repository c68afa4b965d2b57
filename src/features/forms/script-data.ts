import type { Code } from '../../platform/languages/catalogue.ts';
import type { Language } from '../../platform/languages/languages.ts';
import { MAX_LANGUAGES } from '../../platform/languages/tags.ts';
import type { Text } from '../../platform/languages/texts.ts';
import { hasSteps } from '../display/form-steps.ts';
import type { FormControl } from '../display/presentation.ts';

/** The texts of the script for problems of entries. */
export const PROBLEM_TEXTS = [
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

/** The texts of the script of a form with pages or conditions. */
export const STEP_TEXTS = ['nextPage', 'previousPage', 'pageOf', ...PROBLEM_TEXTS] as const satisfies readonly Code[];

/** Returns the texts of problems; undefined for a form with pages or conditions, which has them. */
export function problemTexts(
  controls: readonly FormControl[],
  { template }: Language,
): Record<(typeof PROBLEM_TEXTS)[number], Text> | undefined {
  if (hasSteps(controls)) return undefined;
  return Object.fromEntries(PROBLEM_TEXTS.map((code) => [code, template(code)])) as ReturnType<typeof problemTexts>;
}

/** What the script of a hosted form needs: its texts, and which entries it never keeps. */
interface PageData {
  problems?: ReturnType<typeof problemTexts>;
  draft?: { kept: string; again: string; never: readonly string[] };
}

type Serialize = (controls: readonly FormControl[], language: Language) => string | undefined;

/** Returns a function that serializes the data of a list of controls once for each language. */
function once(serialize: Serialize): Serialize {
  const known = new WeakMap<readonly FormControl[], Map<string, string | undefined>>();
  return (controls, language) => {
    // Languages without translations share a list. Its languages are those that the app offers.
    const byTag = known.get(controls) ?? new Map<string, string | undefined>();
    known.set(controls, byTag);
    if (!byTag.has(language.tag)) {
      if (byTag.size > 2 * MAX_LANGUAGES) byTag.clear();
      byTag.set(language.tag, serialize(controls, language));
    }
    return byTag.get(language.tag);
  };
}

function serializePage(controls: readonly FormControl[], language: Language, hasDrafts: boolean): string {
  const { text } = language;
  // A consent needs an action of the person each time.
  const never = controls.filter(({ consent }) => consent !== undefined).map(({ key }) => `data[${key}]`);
  const draft = { kept: text('draftKept'), again: text('startAgain'), never };
  const data: PageData = { problems: problemTexts(controls, language), ...(hasDrafts && { draft }) };
  return JSON.stringify(data);
}

/** The data of the page of a form, as JSON. */
export const pageData = once((controls, language) => serializePage(controls, language, false));
/** The same for a page that keeps what is typed. */
export const pageDataWithDrafts = once((controls, language) => serializePage(controls, language, true));

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

/** The texts for files, as JSON; undefined for a form without files. */
export const filesData = once((controls, language) => {
  const texts = fileTexts(controls, language);
  return texts && JSON.stringify(texts);
});

/** The conditions and their texts, as JSON; undefined for a form without pages and conditions. */
export const stepsData = once((controls, language) => {
  const texts = stepTexts(controls, language);
  const fields = controls.map(({ key, kind, required, showIf, requiredIf }) => {
    return { key, kind, required, showIf, requiredIf };
  });
  return texts && JSON.stringify({ fields, texts });
});
