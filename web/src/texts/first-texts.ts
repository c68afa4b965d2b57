import { type FirstTexts, first } from './en/first.ts';
import { language } from './language.ts';

const LOADERS = {
  en: async (): Promise<FirstTexts> => first,
  de: async () => (await import('./de/first.ts')).first,
};

/**
 * The texts of what is shown before the log-in, and of components that all pages share, in the
 * reader's language. English until `loadFirstTexts` resolves; main.tsx loads all other modules
 * after it, so that their constants have the language.
 */
export let t: FirstTexts = first;

/** Loads the first texts of the reader's language. */
export async function loadFirstTexts(): Promise<void> {
  t = await LOADERS[language]();
}
