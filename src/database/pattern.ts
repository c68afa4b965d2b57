/**
 * A regular expression that matches this text only. ASCII characters other than letters and digits
 * are escaped by code point, NUL included.
 */
export function literal(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every ASCII character is meant
  return text.replace(/[\x00-\x7f]/g, (character) =>
    /[A-Za-z0-9]/.test(character) ? character : `\\x{${character.charCodeAt(0).toString(16)}}`,
  );
}
