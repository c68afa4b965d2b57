import { en } from '../../texts/en/index.ts';
import { t } from '../../texts/texts.ts';

type Part = keyof typeof en.webhooks.receivers;

/** Returns the code of a receiver with its comments and messages in the language of `texts`. */
export function translatedReceiver(code: string, texts: Readonly<Record<Part, string>> = t.webhooks.receivers): string {
  const parts = Object.entries(en.webhooks.receivers) as [Part, string][];
  return parts.reduce((translated, [part, english]) => translated.replaceAll(english, texts[part]), code);
}
