import { z } from 'zod';
import { byLanguage } from '../../core/fields/base/kind.ts';
import { MAX_PAGES } from '../../core/fields/conditions.ts';
import { canonicalTimeZone } from '../../platform/core/identifiers.ts';
import { code, problem } from '../../platform/languages/problems.ts';
import { canonicalTag, isCanonicalTag, MAX_LANGUAGES } from '../../platform/languages/tags.ts';
import { count, every, given, orAbsent, orNull, text } from './app-setting.ts';

const texts = {
  title: orNull(text(200)),
  description: orNull(text(2_000)),
  submitLabel: orNull(text(100)),
  thanks: orNull(text(2_000)),
};

/** The texts, languages and pages of forms (spec 4.5.2). */
export const textSettings = {
  ...texts,
  /** The language of the texts, a BCP 47 tag. Unset: English. */
  locale: orNull(
    text(35)
      .refine((tag) => canonicalTag(tag) !== undefined, code('notLanguage'))
      .meta({ example: 'en' }),
  ),
  /** They may contain `locale`. */
  languages: orAbsent(
    z
      .array(z.string(code('notText')).refine(isCanonicalTag, code('notLanguageLike')))
      .max(MAX_LANGUAGES, code('tooManyItems', { max: MAX_LANGUAGES }))
      .transform((tags) => (tags.length > 0 ? [...new Set(tags)] : undefined)),
    { description: 'The languages of the forms beside `locale`; absent without any', example: ['en', 'de'] },
  ),
  /** Languages without a text are left out. */
  texts: orAbsent(
    byLanguage(z.strictObject(every(texts, 'request')).transform(given)).transform(
      (byTag) => given(byTag) as Record<string, Partial<Record<keyof typeof texts, string>>> | undefined,
    ),
    {
      description: 'The texts in other languages, by language tag; absent without any',
      example: { de: { title: 'Rundbrief' } },
    },
  ),
  /** Each page once, in their order. */
  pages: orAbsent(
    z
      .array(
        z.strictObject({
          page: count(MAX_PAGES),
          title: text(200),
          titles: byLanguage(text(200)).optional(),
          description: text(500).optional(),
          descriptions: byLanguage(text(500)).optional(),
        }),
      )
      .max(MAX_PAGES, code('tooManyItems', { max: MAX_PAGES }))
      .check(({ value, issues }) => {
        const seen = new Set<number>();
        for (const [index, { page }] of value.entries()) {
          if (seen.has(page)) issues.push(problem('pageTwice', undefined, [String(index), 'page']));
          seen.add(page);
        }
      })
      .transform((pages) => (pages.length > 0 ? pages.toSorted((one, other) => one.page - other.page) : undefined)),
    {
      description: 'The titles and descriptions of the pages of the form; absent without any',
      example: [{ page: 2, title: 'Your address', titles: { de: 'Ihre Adresse' } }],
    },
  ),
  /** An IANA name, for times without a zone. */
  timeZone: orNull(text(50).refine(canonicalTimeZone, code('notTimeZone')).meta({ example: 'Europe/Berlin' })),
};
