import type { Import } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';

/** Advice about an import that rejected every line. */
interface ImportAdvice {
  title: string;
  text: string;
}

type Result = Pick<Import, 'read' | 'rejected' | 'errors' | 'settings'>;

type Remedies = readonly [reason: RegExp, remedy: (result: Result, column: string) => string][];

/** The advice for reasons that are about a line or its email. */
const OF_LINES: Remedies = [
  [/^the person was erased/, () => ''],
  [/^a record of this email exists$/, () => t.imports.advice.exists],
  [/^no record has this email$/, () => t.imports.advice.missing],
  [/^has .+ cells?, and the header has/, () => t.imports.advice.cells],
  [/encoding of the file$/, () => t.imports.advice.encoding],
  [/ must be an email address$/, () => t.imports.advice.email],
];

/** The advice for a reason. The first that matches counts. */
const REMEDIES: Remedies = [
  ...OF_LINES,
  [
    / must be a date\b.*$/,
    ({ settings }, column) =>
      settings.dateFormat === undefined
        ? t.imports.advice.noDateFormat(column)
        : t.imports.advice.dateFormat(column, settings.dateFormat),
  ],
  [/ has no time zone/, () => t.imports.advice.timeZone],
  [/ must be a number with a decimal comma$/, () => t.imports.advice.decimalPoint],
  [
    / must be a number$/,
    ({ settings }, column) =>
      settings.decimal === ',' ? t.imports.advice.decimalPointOrField(column) : t.imports.advice.decimalComma(column),
  ],
  [/ is required$/, (_, column) => t.imports.advice.required(column)],
  [/ must be one of the allowed values$/, (_, column) => t.imports.advice.choices(column)],
];

/** The advice about an import whose first errors have one reason; undefined for others. */
export function adviceFor(result: Result): ImportAdvice | undefined {
  const { read, rejected, errors } = result;
  if (read === 0 || rejected !== read) return undefined;
  const reason = commonReason(errors.map(({ message }) => message));
  if (reason === undefined) return undefined;
  const [pattern, remedy] = REMEDIES.find(([one]) => one.test(reason)) ?? [/$/, () => t.imports.advice.other];
  const text = remedy(result, reason.replace(pattern, ''));
  if (text === '') return undefined;
  const { allRejected, firstRejected } = t.imports.advice;
  const isKnown = rejected <= errors.length;
  return { title: isKnown ? allRejected(reason) : firstRejected(errors.length, reason), text };
}

/** The first problem that every line has. A reason lists the problems of its line. */
function commonReason(messages: readonly string[]): string | undefined {
  const [first = [], ...others] = messages.map((message) => message.split('; '));
  return first.find((problem) => others.every((problems) => problems.includes(problem)));
}

/** Reasons that are not about a value which could be left out. */
const WITHOUT_VALUE: readonly RegExp[] = [...OF_LINES.map(([reason]) => reason), / is required$/];

/** Whether a line was perhaps rejected only because of values that can be left out. */
export const couldOmit = ({ message }: Import['errors'][number]): boolean =>
  message.split('; ').every((problem) => !WITHOUT_VALUE.some((reason) => reason.test(problem)));

/** The reasons of rejected lines with their number of lines, the most frequent first. */
export function reasonsOf(errors: Import['errors']): { reason: string; lines: number }[] {
  const lines = new Map<string, number>();
  for (const problem of errors.flatMap(({ message }) => [...new Set(message.split('; '))])) {
    lines.set(problem, (lines.get(problem) ?? 0) + 1);
  }
  return [...lines].map(([reason, count]) => ({ reason, lines: count })).sort((one, other) => other.lines - one.lines);
}
