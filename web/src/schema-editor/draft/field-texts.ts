import { fields as de } from '../../texts/de/fields.ts';
import { fields as en } from '../../texts/en/fields.ts';
import { language } from '../../texts/language.ts';

type Texts = Readonly<Record<string, string>>;

// Not a part of `t`, which each page loads.
const texts = { en, de }[language];

const own = (names: Texts, name: string): string | undefined => (Object.hasOwn(names, name) ? names[name] : undefined);

/** The names of the kinds of fields. */
export const KIND_NAMES = texts.kinds;

/** The names of the fields that the palette offers. */
export const paletteTexts = texts.palette;

export const kindHelp = (kind: string): string | undefined => own(texts.kindHelps, kind);

/** The name of an option of a kind. */
export const optionName = (name: string): string => own(texts.options, name) ?? name;

export const optionHelp = (name: string): string | undefined => own(texts.optionHelps, name);

/** The name of a value that an option offers. */
export const valueName = (value: string): string => own(texts.values, value) ?? value;
