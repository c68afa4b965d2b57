const EMPTY: Buffer = Buffer.alloc(0);

/**
 * Joins chunks as they arrive, up to a limit in bytes. An array of one-byte chunks would take 200
 * times their length.
 */
export class GrowingBuffer {
  readonly #limit: number;
  #bytes: Buffer = EMPTY;
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a chunk. Returns false and does not add it when the total exceeds the limit. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#limit) return false;
    if (this.#length === 0) {
      this.#bytes = chunk;
    } else {
      if (length > this.#bytes.length) this.#grow(length);
      chunk.copy(this.#bytes, this.#length);
    }
    this.#length = length;
    return true;
  }

  /** Returns the bytes and releases the buffer. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = EMPTY;
    this.#length = 0;
    return bytes;
  }

  #grow(minLength: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(2 * minLength, 4_096)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
