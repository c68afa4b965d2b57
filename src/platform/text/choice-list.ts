/** Between the choices of a list in one text, such as a cell of a file. No choice contains it. */
export const CHOICE_SEPARATOR = '; ';

/** Returns the choices that the texts of a form, or of a cell, name: each once, in their order. */
export function choicesIn(texts: readonly string[]): string[] {
  const choices = texts.flatMap((text) => text.split(CHOICE_SEPARATOR));
  return [...new Set(choices)].filter((choice) => choice !== '');
}
