import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Catalogue } from '#src/platform/languages/catalogue.ts';
import { en } from '#src/platform/languages/en.ts';
import { baseLanguage } from '#src/platform/languages/tags.ts';
import { language } from '../texts/language.ts';

export { forTag, isCanonicalTag } from '#src/platform/languages/tags.ts';

/** The texts of the service in each language, loaded when a preview shows one. */
const LOADERS: Readonly<Record<string, () => Promise<Catalogue>>> = {
  ar: async () => (await import('#src/platform/languages/texts/ar.json')).default,
  de: async () => (await import('#src/platform/languages/texts/de.json')).default,
  es: async () => (await import('#src/platform/languages/texts/es.json')).default,
  fr: async () => (await import('#src/platform/languages/texts/fr.json')).default,
  it: async () => (await import('#src/platform/languages/texts/it.json')).default,
  ja: async () => (await import('#src/platform/languages/texts/ja.json')).default,
  nl: async () => (await import('#src/platform/languages/texts/nl.json')).default,
  pl: async () => (await import('#src/platform/languages/texts/pl.json')).default,
  pt: async () => (await import('#src/platform/languages/texts/pt.json')).default,
  tr: async () => (await import('#src/platform/languages/texts/tr.json')).default,
  zh: async () => (await import('#src/platform/languages/texts/zh.json')).default,
};

/** The languages of the service's own texts. */
export const SERVICE_LANGUAGES = ['en', ...Object.keys(LOADERS)].sort();

/** Returns the service's texts of a language; English while they are loaded or if it has none. */
export function useServiceTexts(tag: string): Catalogue {
  const language = baseLanguage(tag);
  const { data } = useQuery({
    queryKey: ['service-texts', language],
    queryFn: () => LOADERS[language]?.() ?? en,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? en;
}

const names = new Intl.DisplayNames(language, { type: 'language' });

/** Returns the name of a language, for example `German`; `tag` itself if it is no language tag. */
export function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Returns the direction of a language for the attribute `dir`. */
export function directionOf(tag: string): 'rtl' | 'ltr' {
  return ['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi'].includes(baseLanguage(tag)) ? 'rtl' : 'ltr';
}

/** Returns the languages of an app other than the one of its texts. */
export function otherLanguages({
  languages = [],
  locale,
}: {
  languages?: readonly string[] | undefined;
  locale: string | null;
}): readonly string[] {
  return languages.filter((tag) => tag !== (locale ?? 'en'));
}

const Translated = createContext<readonly string[]>([]);

/** Provides the languages into which the texts of the app are translated. */
export const TranslatedLanguages = Translated.Provider;

/** Returns the languages of the app, and those that `texts` has already. */
export function useTranslatedLanguages(texts: object = {}): readonly string[] {
  const offered = useContext(Translated);
  return [...new Set([...offered, ...Object.keys(texts)])];
}
