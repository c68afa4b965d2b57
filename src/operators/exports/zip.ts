import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** A file of an archive. */
export interface ZipEntry {
  /** Its path, with `/`. */
  path: string;
  content: AsyncIterable<Uint8Array | string>;
  modified: Date;
  /** Whether its bytes get smaller by compression: pictures and the like do not. */
  isText: boolean;
}

/**
 * Streams a ZIP archive with back-pressure: one entry is read at a time, and memory grows with the
 * number of entries only. Only a complete archive has its directory at the end, so after an error
 * no program opens it. The stream fails when an entry does, and closes the entries when it is
 * destroyed.
 */
export function zipOf(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  // A PassThrough of yazl.
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  output.once('close', () => current?.destroy());
  void write().catch((error) => output.destroy(error));
  return output;

  async function write(): Promise<void> {
    for await (const { path, content, modified, isText } of entries) {
      if (output.destroyed) return;
      current = Readable.from(content, { objectMode: false });
      zip.addReadStream(current, path, { mtime: modified, compress: isText });
      await finished(current);
    }
    zip.end();
  }
}
