import { en, type Texts } from './en/index.ts';
import { language } from './language.ts';

const LOADERS = {
  en: async (): Promise<Texts> => en,
  de: async (): Promise<Texts> => (await import('./de/index.ts')).de,
};

/**
 * Every text of the dashboard in the reader's language, by the folder that shows it. English until
 * `loadTexts` resolves; main.tsx loads the pages after it, so that their constants have the
 * language.
 */
export let t: Texts = en;

/** Loads the texts of the reader's language. */
export async function loadTexts(): Promise<void> {
  t = await LOADERS[language]();
}
