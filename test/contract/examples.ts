/** An example in an OpenAPI document, and where the schema is that it must conform to. */
export interface Example {
  /** A JSON pointer in the form of a URI fragment. */
  pointer: string;
  value: unknown;
}

/** All examples of a document: those that schemas carry themselves, and those beside a schema, as of parameters and bodies. */
export function examplesIn(node: unknown, pointer = ''): Example[] {
  if (typeof node !== 'object' || node === null) return [];
  const members = Object.entries(node);
  const beside = 'schema' in node ? '/schema' : '';
  const own = members
    .filter(([name]) => name === 'example')
    .map(([, value]): Example => ({ pointer: pointer + beside, value }));
  const inner = members
    .filter(([name]) => name !== 'example')
    .flatMap(([name, value]) => examplesIn(value, `${pointer}/${escapePointer(name)}`));
  return [...own, ...inner];
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
