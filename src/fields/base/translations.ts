import { z } from 'zod';
import { isCanonicalTag, MAX_LANGUAGES } from '../../languages/tags.ts';

/** A text in other languages than that of the schema, by their BCP 47 tags. */
export function byLanguage<Text extends z.ZodType>(text: Text) {
  return z
    .record(z.string(), text)
    .refine((texts) => Object.keys(texts).every(isCanonicalTag), 'must have language tags like de or pt-BR as names')
    .refine((texts) => Object.keys(texts).length <= MAX_LANGUAGES, `must have at most ${MAX_LANGUAGES} languages`);
}

/** The form options of every kind: label and help in other languages (spec 2.6). */
export const TRANSLATIONS = {
  labels: {
    schema: byLanguage(z.string().max(200)).optional(),
    label: 'Label in other languages',
    control: 'byLanguage',
  },
  helps: {
    schema: byLanguage(z.string().max(500)).optional(),
    label: 'Help text in other languages',
    control: 'byLanguage',
  },
} as const;
