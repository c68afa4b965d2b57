import type { FieldKind } from '../base/kind.ts';
import { array } from './array.ts';
import { checkbox } from './checkbox.ts';
import { date } from './date.ts';
import { file } from './file.ts';
import { multiselect } from './multiselect.ts';
import { number } from './number.ts';
import { select } from './select.ts';
import { text } from './text.ts';

/** All kinds of fields, in the order in which they are listed everywhere. */
export const FIELD_KINDS = [text, checkbox, select, multiselect, number, date, file, array] as const;

/** The value of `kind` in a definition. */
export type KindName = (typeof FIELD_KINDS)[number]['name'];

const byName = Object.fromEntries(FIELD_KINDS.map((kind: FieldKind) => [kind.name, kind]));

/** Returns the kind of that name. Its methods take definitions of this kind only. */
export function getKind(name: KindName): FieldKind {
  return byName[name] as FieldKind;
}

/**
 * Whether a submission that does not show a field of this kind always keeps its stored value: a
 * later submission cannot send the items of a list or the files again (spec 2.12).
 */
export const staysHidden = (name: KindName): boolean => name === 'file' || getKind(name).appendedItems !== undefined;
