import { fill, numberRules, type Params, type Text } from '#src/platform/languages/texts.ts';
import { language } from './language.ts';

/** A reason as the service says it: in English, with its code and the values in the text. */
export interface Sent {
  message: string;
  code?: string | undefined;
  params?: Params | undefined;
}

const LOADERS = {
  en: async () => asSent,
  de: async () => reasonIn((await import('./de/reasons.ts')).reasons, 'de'),
};

const asSent = ({ message }: Sent): string => message;

/** @param own the texts of a language by code */
export function reasonIn(own: Readonly<Record<string, Text>>, tag: string): (sent: Sent) => string {
  const numbers = numberRules(tag);
  return ({ message, code = '', params = {} }) => {
    const text = Object.hasOwn(own, code) ? own[code] : undefined;
    return text === undefined ? message : fill(text, params, numbers);
  };
}

/** Returns a reason in the reader's language; that of a later version stays in English. */
export let reasonText: (sent: Sent) => string = asSent;

/** Loads the reasons of the service in the reader's language. */
export async function loadReasons(): Promise<void> {
  reasonText = await LOADERS[language]();
}
