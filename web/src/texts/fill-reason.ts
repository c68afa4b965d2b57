import { fill, numberRules, type Text } from '#src/platform/languages/texts.ts';
import type { Sent } from './reasons.ts';

/** @param own the texts of a language by code */
export function reasonIn(own: Readonly<Record<string, Text>>, tag: string): (sent: Sent) => string {
  const numbers = numberRules(tag);
  return ({ message, code = '', params = {} }) => {
    const text = Object.hasOwn(own, code) ? own[code] : undefined;
    return text === undefined ? message : fill(text, params, numbers);
  };
}
