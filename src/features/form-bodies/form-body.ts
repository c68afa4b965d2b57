import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { InvalidInput } from '../../platform/core/errors.ts';
import type { Deadline } from '../../platform/http/deadline.ts';
import { checkCharset, notUtf8Error, type ReadBytes } from '../../platform/http/request-bytes.ts';
import { type Reason, say } from '../../platform/languages/reasons.ts';

/** The most entries of one form (spec 8). A browser sends one for each control. */
const MAX_ENTRIES = 1_000;
/** The longest name of an entry, in bytes of UTF-8. */
const MAX_NAME_BYTES = 200;

/** One control of a form: its name and its text. */
export type FormEntry = readonly [name: string, value: string];

/** A file that arrived with a form. Its entry is its token. */
export interface FormFile {
  token: string;
  name: string;
  /** A name of the table of types. */
  type: string;
  /** In bytes. */
  size: number;
  sha256: string;
  /** Whether a submission has used its token up. */
  isUsed?: boolean;
}

/** What a form sent beside its texts. */
export interface ReceivedFiles {
  /** The names of the controls whose file was refused, because the form has none there. */
  refused?: readonly string[];
  arrived?: readonly FormFile[];
  /** Why a file of a control was not taken. */
  problems?: readonly (readonly [name: string, problem: Reason])[];
}

/** The entries of an HTML form in the order of its controls. A name may repeat. */
export class FormEntries {
  readonly list: readonly FormEntry[];
  /** The names of the controls that sent a file, without the content: files are refused. */
  readonly files: readonly string[];
  readonly arrived: readonly FormFile[];
  readonly problems: readonly (readonly [name: string, problem: Reason])[];

  constructor(list: readonly FormEntry[], { refused = [], arrived = [], problems = [] }: ReceivedFiles = {}) {
    this.list = list;
    this.files = refused;
    this.arrived = arrived;
    this.problems = problems;
  }
}

/** Counts the separators of entries in a body, up to one more than the limit. */
function countEntries(bytes: Buffer, separator: string): number {
  let count = 0;
  for (let at = bytes.indexOf(separator); at >= 0 && count < MAX_ENTRIES + 2; at = bytes.indexOf(separator, at + 1)) {
    count += 1;
  }
  return count;
}

/** @throws {InvalidInput} for more entries than a form may have */
export function checkEntryCount(count: number): void {
  if (count > MAX_ENTRIES) throw new InvalidInput(say('tooManyEntries', { max: MAX_ENTRIES }));
}

/** @throws {InvalidInput} when a name is too long or contains NUL */
export function checkName(name: string): string {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new InvalidInput(say('entryNameTooLong', { max: MAX_NAME_BYTES }));
  }
  if (name.includes('\0')) throw new InvalidInput('entryNameNul');
  return name;
}

/** Without the check, invalid bytes would be stored as U+FFFD. @throws {InvalidInput} */
export function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8Error();
  return bytes.toString();
}

const PLUS = 0x2b;
const SPACE = 0x20;
const INCOMPLETE_ESCAPE = /%(?![0-9a-f]{2})/i;

/**
 * Creates a reader of `application/x-www-form-urlencoded` bodies. Unlike `URLSearchParams` it
 * refuses invalid UTF-8, and a `%` without two hexadecimal digits.
 */
export function createUrlencodedReader(readBytes: ReadBytes) {
  return async (req: Request, deadline: Deadline): Promise<FormEntries> => {
    checkCharset(req.headers['content-type'] ?? '');
    const sent = readBytes(req, deadline);
    const bytes = sent instanceof Promise ? await sent : sent;
    checkEntryCount(countEntries(bytes, '&') + 1);
    return new FormEntries(decodePairs(bytes));
  };
}

/** Decodes `name=value` pairs; changes the bytes. @throws {InvalidInput} */
function decodePairs(bytes: Buffer): FormEntry[] {
  // A megabyte of `+` takes 2 ms here, and 40 ms as `replaceAll` of a string.
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === PLUS) bytes[at] = SPACE;
  const text = decodeText(bytes);
  if (INCOMPLETE_ESCAPE.test(text)) throw formDataError();
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
      return [checkName(unescaped(pair.slice(0, end))), unescaped(pair.slice(end + 1))];
    });
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notUtf8Error();
  }
}

export function formDataError(): InvalidInput {
  return new InvalidInput('notFormData');
}
