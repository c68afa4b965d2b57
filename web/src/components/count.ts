/** A formatted count with its noun, for example `33,003 users` or `1 user`. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number.toLocaleString()} ${number === 1 ? singular : plural}`;
}
