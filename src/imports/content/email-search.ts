import { encodingOf } from './text-blocks.ts';

/** What an email may have before or after these characters: then it is another email. */
const BEFORE = /[a-z0-9!#$%&*+/=?^_`{}~.-]$/i;
const AFTER = /^[a-z0-9-]|^\.[a-z0-9]/i;
/** What keeps its place, so that the line has as many cells as before. */
const KEPT = /[^",;\t|\r\n]/g;
const LINE_END = /[\r\n]|$/g;

/** A line of a file that names a person. */
export interface FoundLine {
  text: string;
  /** Where it begins in the bytes that were searched. */
  at: number;
  /** Bytes of the same form without what it says. */
  overwritten: Buffer;
}

export interface EmailSearch {
  /**
   * Finds the lines in which the email occurs.
   *
   * @param from the place at which lines begin, and `to` before which the email begins, in bytes;
   *   what is around only completes lines
   */
  find(bytes: Buffer, from: number, to: number): FoundLine[];
  /** Returns bytes of the file as text. */
  text(bytes: Buffer): string;
  /** Returns bytes of the same form without what they say. */
  overwritten(bytes: Buffer): Buffer;
}

/**
 * Creates what finds the lines in which an email occurs as such, in any case. An email
 * that is written with escapes is not found.
 *
 * @param first the first bytes of the file, which tell its encoding
 * @param email normalized
 */
export function createEmailSearch(first: Buffer, email: string): EmailSearch {
  const { encoding } = encodingOf(first);
  const isWide = encoding !== 'utf-8';
  const unit = isWide ? 2 : 1;
  const swap = (bytes: Buffer): Buffer => (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes);
  const read = (bytes: Buffer): string =>
    isWide ? swap(bytes.subarray(0, bytes.length - (bytes.length % 2))).toString('utf16le') : bytes.toString('latin1');
  const written = (text: string): Buffer => (isWide ? swap(Buffer.from(text, 'utf16le')) : Buffer.from(text, 'latin1'));

  const shown = (text: string): string => (isWide ? text : Buffer.from(text, 'latin1').toString());
  const overwritten = (text: string): Buffer => written(text.replace(KEPT, '*'));

  return { find, text: (bytes) => shown(read(bytes)), overwritten: (bytes) => overwritten(read(bytes)) };

  function find(bytes: Buffer, from: number, to: number): FoundLine[] {
    // In latin1 each byte is a character, so places in the text are places in the bytes.
    const text = read(bytes);
    const lower = text.toLowerCase();
    const searched = lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
    const lines: FoundLine[] = [];
    for (let at = searched.indexOf(email, from / unit); at >= 0 && at < to / unit; ) {
      const end = at + email.length;
      const isOther = BEFORE.test(searched.slice(Math.max(0, at - 1), at)) || AFTER.test(searched.slice(end, end + 2));
      if (isOther) {
        at = searched.indexOf(email, at + 1);
        continue;
      }
      const begin = Math.max(searched.lastIndexOf('\n', at), searched.lastIndexOf('\r', at)) + 1;
      LINE_END.lastIndex = end;
      const ends = LINE_END.exec(searched)?.index ?? searched.length;
      const line = text.slice(begin, ends);
      lines.push({ text: shown(line), at: begin * unit, overwritten: overwritten(line) });
      at = searched.indexOf(email, ends);
    }
    return lines;
  }
}
