import fc from 'fast-check';
import { type Entry, fromBuffer } from 'yauzl';
import { FILE_TYPE_NAMES, FILE_TYPES, type FileTypeName } from '../../../src/platform/text/file-types.ts';
import { zip } from '../server/uploads.ts';
import { withZip64 } from './archives.ts';
import { SAMPLES } from './file-samples.ts';

/** Text that no stored picture may hold, and other files not at their start. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<!DOCTYPE html><html>',
  '<svg xmlns="http://www.w3.org/2000/svg" onload="a()"/>',
  '<?php system("id"); ?>',
  '#!/bin/sh\n',
  '%PDF-1.7\n',
  'MZ',
  '\ufeff<b>',
  '\0',
];

/** Archives that are programs or have macros, for some reader. */
const MACROS = zip([
  ['[Content_Types].xml', '<Types/>'],
  ['word/document.xml', '<x/>'],
  ['word/vbaProject.bin', 'macro'],
]);
const PROGRAM = zip([['META-INF/MANIFEST.MF', 'Main-Class: A']]);

const pieces: fc.Arbitrary<Buffer> = fc.oneof(
  fc.constantFrom(...HOSTILE.map((text) => Buffer.from(text))),
  fc.constantFrom(...HOSTILE.map((text) => Buffer.from(text, 'utf16le'))),
  fc.constantFrom(...Object.values(SAMPLES), MACROS, PROGRAM),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.integer({ min: 0, max: 70_000 }).map((length) => Buffer.alloc(length, 1)),
);
const change = fc.record({
  how: fc.constantFrom('cut', 'insert', 'replace', 'append', 'prepend', 'count', 'directory', 'large'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  piece: pieces,
});

/** A value of an arbitrary, one time in six. */
export const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Content that begins as a file of a type, and its changes, such as another file after it. */
export const altered = fc.record({
  type: fc.constantFrom(...FILE_TYPE_NAMES),
  sample: seldom(fc.constantFrom(MACROS, PROGRAM)),
  changes: fc.array(change, { maxLength: 4 }),
});

/** The content that is described. */
export function contentOf({ type, sample, changes }: typeof altered extends fc.Arbitrary<infer T> ? T : never): Buffer {
  return changes.reduce<Buffer>((bytes, { how, at, piece }) => {
    const place = Math.floor(at * bytes.length);
    const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
    if (how === 'cut') return before;
    if (how === 'insert') return Buffer.concat([before, piece, after]);
    if (how === 'replace') return Buffer.concat([before, piece, after.subarray(piece.length)]);
    if (how === 'append') return Buffer.concat([bytes, piece]);
    if (how === 'prepend') return Buffer.concat([piece, bytes]);
    if (how !== 'large') return withOtherEnd(bytes, how === 'count' ? 8 : 12, piece);
    const isArchive = bytes.lastIndexOf('PK\x05\x06') >= 0 && bytes.length - bytes.lastIndexOf('PK\x05\x06') >= 22;
    return isArchive ? withZip64(bytes, { isMarked: piece.length % 2 === 0 }) : bytes;
  }, sample ?? SAMPLES[type]);
}

/** Changes a number in the end of an archive: of entries, or the size of the directory. */
function withOtherEnd(bytes: Buffer, member: number, piece: Buffer): Buffer {
  const end = bytes.lastIndexOf('PK\x05\x06');
  if (end < 0 || end + 22 > bytes.length) return bytes;
  const copy = Buffer.from(bytes);
  for (let at = 0; at < 4 && at < piece.length; at += 1) copy[end + member + at] = piece[at] as number;
  return copy;
}

/** What content of a type has, and where. */
const MAGIC: Partial<Record<FileTypeName, readonly [at: number, signature: string]>> = {
  pdf: [0, '%PDF-'],
  png: [0, '\x89PNG\r\n\x1a\n'],
  jpeg: [0, '\xff\xd8\xff'],
  gif: [0, 'GIF8'],
  webp: [8, 'WEBP'],
  wav: [8, 'WAVE'],
  webm: [0, '\x1a\x45\xdf\xa3'],
  m4a: [4, 'ftyp'],
  mp4: [4, 'ftyp'],
  heic: [4, 'ftyp'],
};
const PICTURES: readonly string[] = ['png', 'jpeg', 'gif', 'webp', 'heic'];
const ARCHIVES: readonly string[] = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'zip'];

/** The entries of an archive as another reader finds them; undefined: it finds none. */
const entriesOf = (bytes: Buffer): Promise<string[] | undefined> =>
  new Promise((resolve) => {
    fromBuffer(bytes, { lazyEntries: false, decodeStrings: true }, (error, archive) => {
      if (error) return resolve(undefined);
      const names: string[] = [];
      archive.on('entry', ({ fileName }: Entry) => names.push(fileName));
      archive.on('end', () => resolve(names));
      archive.on('error', () => resolve(names));
    });
  });

/** Why content must not be stored under a type; undefined: it may. */
export async function whyUnsafe(type: FileTypeName, bytes: Buffer): Promise<string | undefined> {
  const text = bytes.toString('latin1');
  const [at, signature] = MAGIC[type] ?? [0, ''];
  if (!text.startsWith(signature, at)) return 'no signature';
  if (/^\s*<(?:script|!doctype|html|svg|\?)/i.test(text)) return 'markup at the start';
  if (PICTURES.includes(type) && /<(?:script[\s>]|!doctype\s|\?php\s)/i.test(text)) return 'markup in a picture';
  if (type === 'txt' || type === 'csv') {
    try {
      const content = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      if (content.includes('\0')) return 'a zero';
    } catch {
      return 'no UTF-8';
    }
  }
  const entries = await entriesOf(bytes);
  if (!ARCHIVES.includes(type)) return entries === undefined ? undefined : 'an archive';
  if (entries?.some((name) => /^META-INF\/MANIFEST\.MF$/i.test(name))) return 'a program';
  const hasMacros = type !== 'zip' && entries?.some((name) => /vbaProject\.bin$/i.test(name));
  return hasMacros ? 'macros' : undefined;
}

const characters = fc.oneof(
  fc.constantFrom(
    ...[
      '/',
      '\\',
      '..',
      '.',
      ' ',
      '\0',
      '\r\n',
      '\x1b',
      '\x7f',
      '\x85',
      '\u202e',
      '\u2066',
      '\u200f',
      '\u2028',
      '\ufeff',
    ],
    ...['\ud800', '\udc00', 'é', '👩‍🔬', '"', "'", ';', '%2e%2e%2f', '%', '<b>', 'CON', 'nul', ':', '?', '*', '|', 'a'],
  ),
  fc.integer({ min: 190, max: 260 }).map((length) => 'x'.repeat(length)),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const endings = fc.constantFrom(
  ...['', '.', '.exe', '.html', '.svg', '.pdf.exe', '.pdf ', '.pdf.', '.PDF', '.pdf\0.html', '.toolongforone'],
  ...FILE_TYPE_NAMES.flatMap((type) => FILE_TYPES[type].extensions.map((extension) => `.${extension}`)),
);

/** What clients send as the name of a file: the beginning, and an ending that may be any. */
export const beginnings = fc.array(characters, { maxLength: 6 }).map((parts) => parts.join(''));
export const names = fc.tuple(beginnings, endings).map((parts) => parts.join(''));

/** Why a name must not be stored; undefined: it may. */
export function whyUnsafeName(name: string): string | undefined {
  if (name === '' || [...name].length > 200) return 'length';
  if (!name.isWellFormed()) return 'a lone surrogate';
  if (/[\\/]/.test(name)) return 'a path';
  if (/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u.test(name))
    return 'a control character';
  if (/^[. ]|[. ]$/.test(name) || name !== name.trim()) return 'a dot or a space at an end';
  return undefined;
}
