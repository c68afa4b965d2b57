/** Returns the values of a list of `in`: `\,` is a comma, `\\` a backslash (spec 4.3, rule 2). */
export function valuesInList(list: string): string[] {
  const values = [''];
  for (let at = 0; at < list.length; at += 1) {
    const character = list.charAt(at);
    const next = list.charAt(at + 1);
    if (character === ',') values.push('');
    else if (character === '\\' && (next === ',' || next === '\\')) {
      values.push(`${values.pop()}${next}`);
      at += 1;
    } else values.push(`${values.pop()}${character}`);
  }
  return values;
}

/** Returns the list of `in` with these values. */
export function listOfValues(values: readonly string[]): string {
  return values.map((value) => value.replace(/[\\,]/g, '\\$&')).join(',');
}
