import type { Kind } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';
import { type FieldOption, MAX_INDEXED, type OptionName } from './rules.ts';

type Texts = Readonly<Record<string, string>>;

/** Returns a sentence about a kind. */
export function kindHelp(kind: Kind): string | undefined {
  const texts: Texts = t.schemaEditor.kindHelp;
  return texts[kind];
}

/** Returns the label of the option of that name. */
export function optionLabel(name: string): string {
  return t.schemaEditor.options[name as OptionName];
}

export function optionHelp(name: string): string | undefined {
  if (name === 'indexed') return t.schemaEditor.indexedHelp(MAX_INDEXED);
  const texts: Texts = t.schemaEditor.optionHelp;
  return texts[name];
}

/** Returns the display name of a value that an option offers; other values as they are. */
export function valueName({ names = {} }: Pick<FieldOption, 'names'>, value: string): string {
  if (!Object.hasOwn(names, value)) return value;
  // Without a text, the name is the same in every language, for example `URL`.
  const texts: Texts = t.schemaEditor.optionValues;
  return texts[value] ?? names[value] ?? value;
}
