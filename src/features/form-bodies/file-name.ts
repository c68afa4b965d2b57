import { parse as parseDisposition } from 'content-disposition';

/** The name in a `Content-Disposition`; empty: none. */
export function fileNameOf(disposition = ''): string {
  try {
    const { filename = '' } = parseDisposition(disposition).parameters as { filename?: string };
    // Clients also send UTF-8, which Node reads as one character for each byte.
    const bytes = Buffer.from(filename, 'latin1');
    const isBytes = bytes.toString('latin1') === filename;
    return isBytes && Buffer.from(bytes.toString()).equals(bytes) ? bytes.toString() : filename;
  } catch {
    return '';
  }
}
