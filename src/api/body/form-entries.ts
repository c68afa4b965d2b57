import { isUtf8 } from 'node:buffer';
import { InvalidInput } from '../../core/errors.ts';
import { notUtf8 } from './request-bytes.ts';

/** The most entries of one form (spec 8). A browser sends one for each control. */
const MAX_ENTRIES = 1_000;
/** The longest name of an entry, in bytes of UTF-8. */
const MAX_NAME_BYTES = 200;

/** One control of a form: its name and its text. */
export type FormEntry = readonly [name: string, value: string];

/** What an HTML form sent: names with texts, in the order of its controls. A name may repeat. */
export class FormEntries {
  readonly list: readonly FormEntry[];
  /** The names of the controls that sent a file. The content is dropped: files are refused. */
  readonly files: readonly string[];

  constructor(list: readonly FormEntry[], files: readonly string[] = []) {
    this.list = list;
    this.files = files;
  }
}

/** The message about a form that sent a file. */
export const FILES_REFUSED = 'Files are not accepted: the form may send texts only';

/** Counts the separators of entries in a body, no further than to know that there are too many. */
export function countEntries(bytes: Buffer, separator: string): number {
  let count = 0;
  for (let at = bytes.indexOf(separator); at >= 0 && count < MAX_ENTRIES + 2; at = bytes.indexOf(separator, at + 1)) {
    count += 1;
  }
  return count;
}

/** @throws {InvalidInput} for more entries than a form may have */
export function checkEntryCount(count: number): void {
  if (count > MAX_ENTRIES) throw new InvalidInput(`A form may have at most ${MAX_ENTRIES} entries`);
}

/**
 * Decodes the name of an entry.
 * @throws {InvalidInput} when it is too long, not UTF-8, or contains NUL
 */
export function nameOf(bytes: Buffer): string {
  if (bytes.length > MAX_NAME_BYTES) {
    throw new InvalidInput(`The name of a form entry may have at most ${MAX_NAME_BYTES} bytes`);
  }
  if (bytes.includes(0)) throw new InvalidInput('The name of a form entry may not contain NUL');
  return textOf(bytes);
}

/**
 * Decodes the text of an entry. Without the check, invalid bytes would be stored as U+FFFD.
 * @throws {InvalidInput} when it is not UTF-8
 */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes.toString();
}
