import { codeOf, reasonOf } from '../../../src/platform/languages/reasons.ts';
import type { Params } from '../../../src/platform/languages/texts.ts';

interface Sent {
  message?: string;
  code?: string;
  params?: Params;
  errors?: Sent[];
}

/**
 * Throws unless the body of an error has codes of the catalogue, each with the values of its text.
 * @param isTranslated whether its texts are in the language of a visitor
 */
export function assertCoded(body: unknown, isTranslated = false): void {
  const sent = body as Sent;
  for (const { message, code, params } of [sent, ...(sent.errors ?? [])]) {
    const known = codeOf(code);
    if (known === undefined) throw new Error(`“${message}” has the code ${code}, which is none of the catalogue`);
    const said = reasonOf(known, params).message;
    if (!isTranslated && said !== message) throw new Error(`${code} says “${said}”, and the answer “${message}”`);
  }
}
