// What the texts of a form mean, for modules that browsers load without zod.

/** A floating-point number as HTML defines it, which is what `<input type="number">` sends. */
export const DECIMAL = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Whether a text is a time of a day as `<input type="time">` sends it. */
export const isTime = (text: string): boolean => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);

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

/** Returns what `read` makes of the last text; undefined if that is empty. */
export function lastOf<Value>(texts: readonly string[], read: (text: string) => Value): Value | undefined {
  const text = texts.at(-1) ?? '';
  return text === '' ? undefined : read(text);
}

/** As {@link lastOf}, where white space around a text has no meaning. */
export const lastTrimmed = <Value>(texts: readonly string[], read: (text: string) => Value): Value | undefined =>
  lastOf([(texts.at(-1) ?? '').trim()], read);

/** Returns the items that the texts of a list are; undefined if none has content. */
export function itemsOf(texts: readonly string[]): string[] | undefined {
  const items = texts.filter((text) => text !== '').map(withLineFeeds);
  return items.length > 0 ? items : undefined;
}
