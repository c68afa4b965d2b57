/** The languages of the dashboard, each with its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

const STORED = 'user-collection-language';

/** The one chosen in this browser, else the first of the reader's languages that is offered. */
export const language: Language = chosen() ?? preferred().map(baseOf).find(isOffered) ?? 'en';

/** The locale of numbers and times: the reader's variant of the language, for example `en-GB`. */
export const locale: string = preferred().find((tag) => baseOf(tag) === language) ?? language;

/** Keeps the language in this browser and loads the page again in it. */
export function changeLanguage(next: Language): void {
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // A browser that stores nothing keeps its own language.
  }
  window.location.reload();
}

function chosen(): Language | undefined {
  try {
    const stored = localStorage.getItem(STORED) ?? '';
    return isOffered(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** The reader's languages; none outside of a browser. */
function preferred(): readonly string[] {
  return typeof window === 'undefined' ? [] : navigator.languages.filter(isValid);
}

/** Whether `Intl` accepts a tag. Chromium in the locale `POSIX` names `en-US@posix`. */
function isValid(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

function baseOf(tag: string): string {
  return tag.split('-')[0] ?? tag;
}

function isOffered(tag: string): tag is Language {
  return Object.hasOwn(LANGUAGES, tag);
}
