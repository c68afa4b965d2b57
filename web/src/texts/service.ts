import { language } from './language.ts';

const LOADERS = {
  en: async () => ({}),
  de: async () => (await import('./de/service.ts')).service,
};

/**
 * Returns a text of the service in the reader's language: a message of an answer, or a name that
 * src/fields declares. They are English; one without a translation stays as it is.
 */
export let serviceText = (text: string): string => text;

/** Loads the texts of the service in the reader's language. */
export async function loadServiceTexts(): Promise<void> {
  serviceText = translator(await LOADERS[language]());
}

/** Returns a function that translates texts. The values in a text stay. */
export function translator(texts: Readonly<Record<string, string>>): (message: string) => string {
  // The message with the most words of its own comes first.
  const patterns = Object.entries(texts)
    .filter(([message]) => message.includes('{}'))
    .sort(([one], [other]) => other.length - one.length)
    .map(([message, text]) => {
      const parts = message.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      return { matches: new RegExp(`^${parts.join('(.+?)')}$`), text };
    });
  return (message) => {
    if (Object.hasOwn(texts, message)) return texts[message] ?? message;
    for (const { matches, text } of patterns) {
      const values = matches.exec(message)?.slice(1);
      if (values) return text.replace(/\{\}/g, () => values.shift() ?? '');
    }
    return message;
  };
}
