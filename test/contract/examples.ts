/** An example in an OpenAPI document and the location of its schema. */
export interface Example {
  /** The JSON pointer of the schema, encoded as a URI fragment. */
  pointer: string;
  value: unknown;
}

/**
 * Returns all examples of a document: those inside a schema and those next to a schema, as in
 * parameters and bodies.
 */
export function examplesIn(node: unknown, pointer = ''): Example[] {
  if (typeof node !== 'object' || node === null) return [];
  const members = Object.entries(node);
  const suffix = 'schema' in node ? '/schema' : '';
  const own = members
    .filter(([name]) => name === 'example')
    .map(([, value]): Example => ({ pointer: pointer + suffix, value }));
  const inner = members
    .filter(([name]) => name !== 'example')
    .flatMap(([name, value]) => examplesIn(value, `${pointer}/${escapePointer(name)}`));
  return [...own, ...inner];
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
