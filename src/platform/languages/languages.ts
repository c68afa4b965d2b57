import { readFileSync } from 'node:fs';
import { type Catalogue, type Code, fillText, template, toCatalogue } from './catalogue.ts';
import { en } from './en.ts';
import { numberRules, type Params, type Text } from './texts.ts';

/** The languages of the service's own texts beside English, in files of the folder `texts`. */
const TRANSLATED = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'ar', 'ja', 'zh'];

/** The languages of the service's own texts. The first one is that of every other language. */
export const CATALOGUES: ReadonlyMap<string, Catalogue> = new Map([
  ['en', en],
  ...TRANSLATED.map((tag) => [tag, readCatalogue(tag)] as const),
]);

export const OWN_LANGUAGES: readonly string[] = [...CATALOGUES.keys()];

function readCatalogue(tag: string): Catalogue {
  const file = new URL(`./texts/${tag}.json`, import.meta.url);
  return toCatalogue(tag, JSON.parse(readFileSync(file, 'utf8')));
}

/** The language of a page, an email or a response. */
export interface Language {
  /** A BCP 47 tag, such as `pt-BR`. */
  tag: string;
  dir: 'ltr' | 'rtl';
  /** The language of the service's texts: `en` where it has none in that of the tag. */
  own: string;
  text(code: Code, params?: Params): string;
  /** Returns a text with its placeholders. */
  template(code: Code): Text;
  /** Returns a time such as `31 January 2026 at 08:30 (Europe/Berlin)`. */
  dateTime(at: Date, timeZone: string): string;
}

/** Newer versions of Node have the method, older ones the property. */
type WithDirection = { textInfo?: { direction: string }; getTextInfo?(): { direction: string } };

/** The apps of a server choose the tags, so their number has a bound. */
const MAX_CACHED = 200;
const cache = new Map<string, Language>();

/** @param tag a valid BCP 47 tag */
export function languageOf(tag: string): Language {
  let language = cache.get(tag);
  if (!language) {
    if (cache.size >= MAX_CACHED) cache.clear();
    language = createLanguage(tag);
    cache.set(tag, language);
  }
  return language;
}

function createLanguage(tag: string): Language {
  const locale = new Intl.Locale(tag) as Intl.Locale & WithDirection;
  const own = CATALOGUES.has(locale.language) ? locale.language : 'en';
  const catalogue = CATALOGUES.get(own) ?? en;
  // The numbers of a text are in the language of the text.
  const region = own === locale.language ? tag : own;
  const numbers = numberRules(region);
  const { direction } = locale.getTextInfo?.() ?? locale.textInfo ?? {};
  return {
    tag,
    dir: direction === 'rtl' ? 'rtl' : 'ltr',
    own,
    text: (code, params = {}) => fillText(catalogue, code, params, numbers),
    template: (code) => template(catalogue, code),
    dateTime(at, timeZone) {
      const format = new Intl.DateTimeFormat(region === 'en' ? 'en-GB' : region, {
        dateStyle: 'long',
        timeStyle: 'short',
        timeZone,
      });
      return `${format.format(at)} (${timeZone})`;
    },
  };
}
