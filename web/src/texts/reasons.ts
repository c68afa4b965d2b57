import type { Params } from '#src/platform/languages/texts.ts';
import { language } from './language.ts';

/** A reason as the service says it: in English, with its code and the values in the text. */
export interface Sent {
  message: string;
  code?: string | undefined;
  params?: Params | undefined;
}

const LOADERS = {
  en: async () => asSent,
  de: async () => (await import('./de/reasons.ts')).inGerman,
};

const asSent = ({ message }: Sent): string => message;

/** Returns a reason in the reader's language; that of a later version stays in English. */
export let reasonText: (sent: Sent) => string = asSent;

/** Loads the reasons of the service in the reader's language. */
export async function loadReasons(): Promise<void> {
  reasonText = await LOADERS[language]();
}
