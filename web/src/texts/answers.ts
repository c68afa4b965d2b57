import { language } from './language.ts';

const LOADERS = {
  en: async () => ({}),
  de: async () => (await import('./de/answers.ts')).answers,
};

/**
 * Returns a message of the service in the reader's language. The messages of the service are English,
 * for programs; one without a translation stays as it came.
 */
export let answer = (message: string): string => message;

/** Loads the messages of the service in the reader's language. */
export async function loadAnswers(): Promise<void> {
  answer = translator(await LOADERS[language]());
}

/** Returns a function that translates a message, and its values stay. */
export function translator(answers: Readonly<Record<string, string>>): (message: string) => string {
  // The message with the most words of its own comes first.
  const patterns = Object.entries(answers)
    .filter(([message]) => message.includes('{}'))
    .sort(([one], [other]) => other.length - one.length)
    .map(([message, text]) => {
      const parts = message.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      return { matches: new RegExp(`^${parts.join('(.+?)')}$`), text };
    });
  return (message) => {
    if (Object.hasOwn(answers, message)) return answers[message] ?? message;
    for (const { matches, text } of patterns) {
      const values = matches.exec(message)?.slice(1);
      if (values) return text.replace(/\{\}/g, () => values.shift() ?? '');
    }
    return message;
  };
}
