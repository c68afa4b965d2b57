import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** What is compressed at once: about a millisecond. */
const BLOCK_BYTES = 64 * 1024;

/** Bytes that are kept compressed until they are taken, once, in the order in which they came. */
export class PackedBytes {
  readonly #blocks: Buffer[] = [];
  #open: Buffer[] = [];
  #openBytes = 0;

  add(bytes: Buffer): void {
    this.#open.push(bytes);
    this.#openBytes += bytes.length;
    if (this.#openBytes >= BLOCK_BYTES) this.#pack();
  }

  /** Yields blocks of whole additions, and keeps none that was taken. */
  *take(): Generator<Buffer> {
    if (this.#openBytes > 0) this.#pack();
    for (let block = this.#blocks.shift(); block; block = this.#blocks.shift()) yield inflateRawSync(block);
  }

  #pack(): void {
    // Copied: the result may be a part of a larger buffer.
    this.#blocks.push(Buffer.from(deflateRawSync(Buffer.concat(this.#open))));
    this.#open = [];
    this.#openBytes = 0;
  }
}
