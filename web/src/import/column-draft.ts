import type { Field, ImportSettings } from '../api/endpoints.ts';

export type ColumnSettings = NonNullable<ImportSettings['columns']>[string];

/** The settings of a column as they are entered. An empty text: the setting of the file. */
export type ColumnDraft = Partial<Record<keyof ColumnSettings, string>>;

const OF_KINDS: Readonly<Record<Field['kind'], readonly (keyof ColumnSettings)[]>> = {
  text: ['empty'],
  select: ['empty'],
  multiselect: ['separator', 'empty'],
  checkbox: ['true', 'false', 'empty'],
  number: ['decimal', 'empty'],
  date: ['dateFormat', 'timeZone', 'empty'],
  array: ['empty'],
  file: [],
};

/** The settings that columns of a kind have. */
export const settingsOfKind = (kind: Field['kind']): readonly (keyof ColumnSettings)[] => OF_KINDS[kind];

/** The texts of a list, which commas separate. */
const wordsIn = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** The settings of a column as the service takes them; undefined if it has none. */
export function columnSettings(kind: Field['kind'], draft: ColumnDraft): ColumnSettings | undefined {
  const entries = settingsOfKind(kind).flatMap((name): [string, string | string[]][] => {
    const text = draft[name] ?? '';
    if (name === 'separator') return text === '' ? [] : [[name, text]];
    if (text.trim() === '') return [];
    return [[name, name === 'empty' || name === 'true' || name === 'false' ? wordsIn(text) : text.trim()]];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
