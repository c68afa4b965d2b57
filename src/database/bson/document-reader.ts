import { endOfName, lengthOf } from './elements.ts';

interface Name<Target> {
  /** The name and its NUL. */
  readonly bytes: Buffer;
  readonly target: Target;
  /** The name that last followed this one in a document. */
  next: Name<Target> | undefined;
}

/**
 * Reads the elements of documents, each with what belongs to its name. The documents of a
 * collection mostly have the same names in the same order, so a name is first compared with the one
 * that followed in the document before, and becomes a text only when it differs.
 */
export class DocumentReader<Target> {
  readonly #names: ReadonlyMap<string, Name<Target>>;
  readonly #start: { next: Name<Target> | undefined } = { next: undefined };

  /** @param targets what belongs to each name; the names are ASCII */
  constructor(targets: Iterable<readonly [name: string, target: Target]>) {
    this.#names = new Map(
      Array.from(targets, ([name, target]) => [name, { bytes: Buffer.from(`${name}\0`), target, next: undefined }]),
    );
  }

  /**
   * Calls `visit` for each element of the document that begins at `start`, in their order.
   *
   * @param visit `at` is the offset of the element, `value` that of its value
   * @throws {UnknownType}
   */
  read(
    source: Buffer,
    start: number,
    visit: (target: Target | undefined, type: number, value: number, at: number) => void,
  ): void {
    let last = this.#start;
    for (let at = start + 4; source[at] !== 0; ) {
      const type = source[at] as number;
      const name = this.#find(source, at + 1, last.next);
      const value = name ? at + 1 + name.bytes.length : endOfName(source, at + 1) + 1;
      visit(name?.target, type, value, at);
      if (name) last = last.next = name;
      at = value + lengthOf(type, source, value);
    }
  }

  #find(source: Buffer, at: number, expected: Name<Target> | undefined): Name<Target> | undefined {
    if (expected !== undefined && isAt(expected.bytes, source, at)) return expected;
    // A name beyond ASCII becomes another text, which is none of the names either.
    return this.#names.get(source.toString('latin1', at, endOfName(source, at)));
  }
}

function isAt(bytes: Buffer, source: Buffer, at: number): boolean {
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] !== source[at + index]) return false;
  return true;
}
