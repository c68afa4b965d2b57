// What the texts of a form mean, for modules that browsers load without zod.

/** A floating-point number as HTML defines it, which is what `<input type="number">` sends. */
export const DECIMAL = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The boolean of each text of a checkbox, in lower case (spec 2.7, rule 5). */
export const BOOLEAN_TEXTS: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['true', true],
  ['1', true],
  ['yes', true],
  ['off', false],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** Returns the text of a form with LF as its line ends; browsers send CR LF. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
