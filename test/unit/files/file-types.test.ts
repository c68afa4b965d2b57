import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FILE_TYPE_NAMES, type FileTypeName } from '../../../src/fields/base/file-types.ts';
import { examine, safeName } from '../../../src/records/files/file-types.ts';
import { PNG, zip } from '../../support/uploads.ts';

/** Whether content is of a type, in pieces of a size. */
async function isOf(type: FileTypeName, content: Buffer | string, piece = 64 * 1024): Promise<boolean> {
  const bytes = Buffer.from(content);
  const examination = examine(type);
  for (let at = 0; at < bytes.length; at += piece) examination.add(bytes.subarray(at, at + piece));
  return examination.end(async (start, end) => bytes.subarray(start, end));
}

const bytesOf = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
/** A file of the ISO base media format. */
const media = (brand: string): Buffer =>
  bytesOf([0, 0, 0, 24], 'ftyp', brand, [0, 0, 2, 0], 'isom', brand, [0, 0, 0, 8], 'free');
const office = (part: string): Buffer =>
  zip([
    ['[Content_Types].xml', '<Types/>'],
    ['_rels/.rels', '<x/>'],
    [`${part}`, '<x/>'],
  ]);
const openDocument = (type: string): Buffer =>
  zip([
    ['mimetype', `application/vnd.oasis.opendocument.${type}`],
    ['content.xml', '<x/>'],
  ]);

const SAMPLES: Record<FileTypeName, Buffer> = {
  pdf: bytesOf('%PDF-1.7\n%âãÏÓ\n1 0 obj\n<</Type/Catalog>>\nendobj\n%%EOF\n'),
  png: PNG,
  jpeg: bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF', [0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xd9]),
  gif: bytesOf('GIF89a', [1, 0, 1, 0, 0, 0, 0, 0x3b]),
  webp: bytesOf(
    'RIFF',
    [26, 0, 0, 0],
    'WEBPVP8L',
    [13, 0, 0, 0, 0x2f, 0, 0, 0, 0x10, 7, 0x10, 0x11, 0x11, 0x88, 0x88, 8],
  ),
  heic: media('heic'),
  txt: Buffer.from('Zoë wrote 1 < 2.\n'),
  csv: Buffer.from('name,age\nZoë,36\n'),
  docx: office('word/document.xml'),
  xlsx: office('xl/workbook.xml'),
  pptx: office('ppt/presentation.xml'),
  odt: openDocument('text'),
  ods: openDocument('spreadsheet'),
  odp: openDocument('presentation'),
  zip: zip([['a.txt', 'a']]),
  mp3: bytesOf('ID3', [3, 0, 0, 0, 0, 0, 10], Array(10).fill(0), [0xff, 0xfb, 0x90, 0x64], Array(413).fill(0)),
  m4a: media('M4A '),
  wav: bytesOf('RIFF', [36, 0, 0, 0], 'WAVEfmt ', [16, 0, 0, 0, 1, 0, 1, 0]),
  mp4: media('mp42'),
  mov: media('qt  '),
  webm: bytesOf([0x1a, 0x45, 0xdf, 0xa3, 0x8b, 0x42, 0x82, 0x84], 'webm', [0x42, 0x87, 0x81, 4], Array(20).fill(0)),
};

describe('the content of a file', () => {
  it.each(FILE_TYPE_NAMES)('of each type is of that type alone: %s', async (type) => {
    const found = await Promise.all(
      FILE_TYPE_NAMES.map(async (other) => ((await isOf(other, SAMPLES[type])) ? other : [])),
    );
    // A table is text, too: its name decides.
    expect(found.flat()).toEqual(type === 'txt' || type === 'csv' ? ['txt', 'csv'] : [type]);
  });

  it('does not depend on the pieces in which it is read', async () => {
    for (const type of FILE_TYPE_NAMES) expect([type, await isOf(type, SAMPLES[type], 1)]).toEqual([type, true]);
  });

  it('is of no type when it is empty', async () => {
    for (const type of FILE_TYPE_NAMES) expect([type, await isOf(type, '')]).toEqual([type, false]);
  });

  it.each([
    ['HTML', '<!DOCTYPE html><script>alert(1)</script>'],
    ['HTML after white space', ' \r\n\t<html>'],
    ['HTML after a byte order mark', '\ufeff<script>'],
    ['HTML after two marks', '\ufeff\ufeff<b>'],
    ['HTML after characters without a width', '\u200b\u2060<b>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['XML', '<?xml version="1.0"?><a/>'],
    ['PHP', '<?php system("id");'],
    ['a shell script', '#!/bin/sh\n'],
    ['RTF', '{\\rtf1 a}'],
    ['PostScript', '%!PS-Adobe'],
    ['a program of Windows', bytesOf('MZ', [0x90, 0, 3, 0, 0, 0])],
    ['a program of Linux', bytesOf([0x7f], 'ELF', [2, 1, 1, 0])],
    ['UTF-16', Buffer.from('\ufeff<script>', 'utf16le')],
    ['Latin-1', Buffer.from('Zoë', 'latin1')],
    ['a cut character', Buffer.from('Zoë').subarray(0, 3)],
  ])('of no type is %s', async (_, content) => {
    for (const type of FILE_TYPE_NAMES) expect([type, await isOf(type, content)]).toEqual([type, false]);
  });

  it('may be text with a byte order mark, and with less-than signs', async () => {
    expect(await isOf('txt', '\ufeffText')).toBe(true);
    expect(await isOf('csv', '\ufeffname;age\n<b>;1\n')).toBe(true);
    expect(await isOf('txt', '< 5')).toBe(true);
    expect(await isOf('txt', `${'a'.repeat(70_000)}é`, 65_537)).toBe(true);
    expect(await isOf('txt', Buffer.concat([Buffer.alloc(70_000, 'a'), Buffer.from([0xff])]))).toBe(false);
    expect(await isOf('txt', `${'a'.repeat(70_000)}\0`)).toBe(false);
  });

  it('is not of two formats at once', async () => {
    const archive = SAMPLES.zip;
    const page = '<html><script>alert(1)</script>';
    for (const type of ['png', 'jpeg', 'gif', 'webp', 'heic', 'pdf', 'mp3', 'mp4'] as const) {
      const [whole, wide] = [SAMPLES[type], Buffer.alloc(200_000, 1)];
      expect([type, 'archive', await isOf(type, Buffer.concat([whole, archive]))]).toEqual([type, 'archive', false]);
      const program = zip([['META-INF/MANIFEST.MF', 'a']], 'a comment');
      expect([type, 'program', await isOf(type, Buffer.concat([whole, wide, program]))]).toEqual([
        type,
        'program',
        false,
      ]);
      expect([type, 'page', await isOf(type, Buffer.concat([whole, Buffer.from(page)]))]).toEqual([
        type,
        'page',
        false,
      ]);
    }
    for (const type of ['png', 'jpeg', 'gif'] as const) {
      const late = Buffer.concat([SAMPLES[type], Buffer.alloc(200_000, 1), Buffer.from(page)]);
      for (const piece of [65_536, 99_999, 200_011])
        expect([type, await isOf(type, late, piece)]).toEqual([type, false]);
      const document = Buffer.concat([SAMPLES[type], SAMPLES.pdf]);
      expect([type, 'document', await isOf(type, document)]).toEqual([type, 'document', false]);
    }
    expect(await isOf('pdf', Buffer.concat([Buffer.from('<!-- -->'), SAMPLES.pdf]))).toBe(false);
    expect(await isOf('gif', 'GIF89a/*<svg/onload=alert(1)>*/=1;')).toBe(false);
    expect(await isOf('zip', Buffer.concat([Buffer.from('MZ'), archive]))).toBe(false);
    expect(await isOf('zip', Buffer.concat([archive, Buffer.from(page)]))).toBe(false);
  });

  it('is no archive of a program, a book, macros, or parts of two documents', async () => {
    const refused = [
      zip([['META-INF/MANIFEST.MF', 'a']]),
      zip([['AndroidManifest.xml', 'a']]),
      zip([['mimetype', 'application/epub+zip']]),
      zip([['mimetype', 'application/vnd.oasis.opendocument.text-template']]),
      zip([
        ['[Content_Types].xml', 'a'],
        ['word/document.xml', 'a'],
        ['word/vbaProject.bin', 'a'],
      ]),
      zip([
        ['[Content_Types].xml', 'a'],
        ['xl/workbook.bin', 'a'],
      ]),
      zip([
        ['[Content_Types].xml', 'a'],
        ['word/document.xml', 'a'],
        ['xl/workbook.xml', 'a'],
      ]),
      zip([
        ['mimetype', 'application/vnd.oasis.opendocument.text'],
        ['Basic/script-lc.xml', 'a'],
      ]),
      SAMPLES.docx.subarray(0, -1),
    ];
    for (const [index, content] of refused.entries()) {
      for (const type of FILE_TYPE_NAMES)
        expect([index, type, await isOf(type, content)]).toEqual([index, type, false]);
    }
  });

  it('may be a document whose parts begin with another one, and an empty archive', async () => {
    const parts = [
      ['word/document2.xml', 'a'],
      ['[Content_Types].xml', 'a'],
      ['docProps/app.xml', 'a'],
    ] as const;
    expect(await isOf('docx', zip(parts, 'with a comment'))).toBe(true);
    expect(await isOf('zip', zip([]))).toBe(true);
  });
});

describe('the name of a file', () => {
  it.each([
    ['cv.pdf', 'cv.pdf'],
    ['/etc/passwd', 'passwd'],
    ['..\\..\\cv.pdf', 'cv.pdf'],
    ['../../', ''],
    ['.htaccess', 'htaccess'],
    ['...pdf', 'pdf'],
    ['cv.pdf. .', 'cv.pdf'],
    ['a\r\nb\0\x1b.pdf', 'ab.pdf'],
    ['exe\u202efdp.pdf', 'exefdp.pdf'],
    ['\u2066a\u2069.pdf', 'a.pdf'],
    [' a  b .pdf', 'a b .pdf'],
    ['Lebenslauf für Zoë 👩‍🔬.pdf', 'Lebenslauf für Zoë 👩‍🔬.pdf'],
    ['\ud800a.pdf', '\ufffda.pdf'],
    ['', ''],
  ])('%j becomes %j', (given, safe) => expect(safeName(given)).toBe(safe));

  it('is safe for any text, and safe names stay', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (given) => {
        const name = safeName(given);
        expect(name).toBe(name.trim());
        expect(name).not.toMatch(/^\.|[\\/\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        expect([...name].length).toBeLessThanOrEqual(200);
        expect(safeName(name)).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has at most 200 characters and keeps its extension', () => {
    const name = safeName(`${'é'.repeat(300)}.docx`);
    expect([...name].length).toBe(200);
    expect(name.endsWith('é.docx')).toBe(true);
    expect([...safeName('😀'.repeat(300))].length).toBe(200);
  });
});
