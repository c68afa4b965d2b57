import type { Import } from '../api/endpoints.ts';

/** Advice about an import that rejected every line. */
export interface ImportAdvice {
  title: string;
  text: string;
}

type Result = Pick<Import, 'read' | 'rejected' | 'errors' | 'settings'>;

/** The advice for a reason. The first that matches counts. */
const REMEDIES: readonly [reason: RegExp, remedy: (result: Result, column: string) => string][] = [
  [/^the person was erased/, () => ''],
  [/^a record of this email exists$/, () => 'These users exist. Set “Users” to “Create and update users”.'],
  [/^no record has this email$/, () => 'These users do not exist. Set “Users” to “Create and update users”.'],
  [
    /^has .+ cells?, and the header has/,
    () =>
      'The lines and the header have different numbers of cells. Correct the header, or quote cells that contain the delimiter.',
  ],
  [/encoding of the file$/, () => 'Save the file as UTF-8, and import it again.'],
  [/ must be an email address$/, () => 'Choose the column that has the emails: the chosen one has others.'],
  [
    / must be a date\b.*$/,
    ({ settings }, column) =>
      settings.dateFormat === undefined
        ? `Set “Date format” to that of ${column}, such as DD/MM/YYYY.`
        : `The dates of ${column} are not like ${settings.dateFormat}. Set another “Date format”.`,
  ],
  [/ has no time zone/, () => 'Set “Time zone” to that of the times in the file, such as Europe/Berlin.'],
  [/ must be a number with a decimal comma$/, () => 'Set “Numbers” to “1.5”.'],
  [
    / must be a number$/,
    ({ settings }, column) =>
      settings.decimal === ','
        ? `Set “Numbers” to “1.5”, or choose another field for ${column}.`
        : `Set “Numbers” to “1,5” if ${column} has a decimal comma, or choose another field for it.`,
  ],
  [
    / is required$/,
    (_, column) => `Choose the column of the file for ${column}, or set “Users” to “Only update users”.`,
  ],
  [
    / must be one of the allowed values$/,
    (_, column) => `The field does not have the values of ${column}. Add them to the schema, or change the file.`,
  ],
];

/** The advice about an import whose first errors have one reason; undefined for others. */
export function adviceFor(result: Result): ImportAdvice | undefined {
  const { read, rejected, errors } = result;
  if (read === 0 || rejected !== read) return undefined;
  const reason = commonReason(errors.map(({ message }) => message));
  if (reason === undefined) return undefined;
  const [pattern, remedy] = REMEDIES.find(([one]) => one.test(reason)) ?? [
    /$/,
    () => 'Change the file, or the schema.',
  ];
  const text = remedy(result, reason.replace(pattern, ''));
  if (text === '') return undefined;
  const isKnown = rejected <= errors.length;
  const lines = isKnown ? 'Every line was rejected' : `Every line was rejected, the first ${errors.length}`;
  return { title: `${lines} because: ${reason}`, text };
}

/** The first problem that every line has. A reason lists the problems of its line. */
function commonReason(messages: readonly string[]): string | undefined {
  const [first = [], ...others] = messages.map((message) => message.split('; '));
  return first.find((problem) => others.every((problems) => problems.includes(problem)));
}
