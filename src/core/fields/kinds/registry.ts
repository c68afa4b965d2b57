import type { KindName } from '../base/browser-kinds.ts';
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

const byName = Object.fromEntries(FIELD_KINDS.map((kind: FieldKind) => [kind.name, kind]));

/** Returns the kind of that name. Its methods take definitions of this kind only. */
export function getKind(name: KindName): FieldKind {
  return byName[name] as FieldKind;
}

/** The kinds by which the values of keys that are no field are read: one text, or several. */
export const EXTRA_KINDS = { one: 'text', several: 'array' } as const satisfies Record<string, KindName>;
