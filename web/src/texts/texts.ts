import { use } from 'react';
import type { Texts } from './en/index.ts';
import { language } from './language.ts';

export type { Texts } from './en/index.ts';

const LOADERS = {
  en: async (): Promise<Texts> => (await import('./en/index.ts')).en,
  de: async () => (await import('./de/index.ts')).de,
};

/**
 * Every text of the dashboard in the reader's language, by the folder that shows it. Absent until
 * `loadTexts` resolves: what is shown before the log-in has `first-texts.ts`, and constants may
 * have texts in modules that are loaded on demand only, which the pages load after the texts.
 */
export let t = undefined as unknown as Texts;

let loading: Promise<void> | undefined;

/** Loads the texts of the reader's language, once: browsers keep a failure until a reload. */
export function loadTexts(): Promise<void> {
  loading ??= LOADERS[language]().then((texts) => {
    t = texts;
  });
  return loading;
}

/** Begins to load the texts, for a page that follows. It tells of a failure. */
export function preloadTexts(): void {
  void loadTexts().catch(() => undefined);
}

/** Suspends a component until the texts are there. @throws when they cannot be loaded */
export function useTexts(): void {
  // Also when they are there: React requires the same calls when it renders the component again.
  use(loadTexts());
}
