import { en, type Texts } from './en/index.ts';
import { language } from './language.ts';

const LOADERS = {
  en: async (): Promise<Partial<Texts>> => en,
  de: async (): Promise<Partial<Texts>> => (await import('./de/index.ts')).de,
};

/**
 * Every text of the dashboard in the reader's language, by the folder that shows it. English until
 * `loadTexts` resolves; main.tsx loads the pages after it, so that their constants have the
 * language.
 */
export let t = en as Texts;

/** Loads the texts of the reader's language. */
export async function loadTexts(): Promise<void> {
  t = (await LOADERS[language]()) as Texts;
}

/** Loads the texts of the folder `connect`. Await it before a page that shows them is loaded. */
export async function loadConnectTexts(): Promise<void> {
  if (!('connect' in t)) t = { ...(t as Texts), connect: (await import('./en/connect.tsx')).connect };
}
