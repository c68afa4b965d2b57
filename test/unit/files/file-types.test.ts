// @module-tag fault

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zipOf as packed } from '../../../src/features/exports/zip.ts';
import { archivePath, safeName } from '../../../src/features/files/file-names.ts';
import { examine } from '../../../src/features/files/file-types.ts';
import { FILE_TYPE_NAMES, type FileTypeName } from '../../../src/platform/text/file-types.ts';
import { rounds } from '../../support/run/rounds.ts';
import { withZip64, zipOf } from '../../support/samples/archives.ts';
import { altered, contentOf, names, whyUnsafe, whyUnsafeName } from '../../support/samples/file-fuzz.ts';
import { bytesOf, media, SAMPLES } from '../../support/samples/file-samples.ts';
import { zip } from '../../support/server/uploads.ts';

/** Whether content is of a type, in pieces of a size. */
async function isOf(type: FileTypeName, content: Buffer | string, piece = 64 * 1024): Promise<boolean> {
  const bytes = Buffer.from(content);
  const examination = examine(type);
  for (let at = 0; at < bytes.length; at += piece) examination.add(bytes.subarray(at, at + piece));
  return examination.end(async (start, end) => bytes.subarray(start, end));
}

/** An archive as exports write it. */
function exportOf(entries: readonly (readonly [path: string, content: string])[]): Promise<Buffer> {
  const modified = new Date(0);
  async function* all() {
    for (const [path, content] of entries) yield { path, content: Readable.from([content]), modified, isText: false };
  }
  return buffer(packed(all()));
}

/** An archive with another number in its end. */
function withNumber(archive: Buffer, member: number, value: number): Buffer {
  const copy = Buffer.from(archive);
  const at = copy.lastIndexOf('PK\x05\x06') + member;
  if (member < 12) copy.writeUInt16LE(value, at);
  else copy.writeUInt32LE(value, at);
  return copy;
}

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
    // Readers may ignore the bytes of the directory, and what follows the archive.
    const wrong = Buffer.concat([SAMPLES.pdf, withNumber(archive, 12, 9_999_999), Buffer.from('more')]);
    expect(await isOf('pdf', wrong)).toBe(false);
    expect(await isOf('gif', 'GIF=1;alert(1)')).toBe(false);
    expect(await isOf('zip', Buffer.concat([Buffer.from('MZ'), archive]))).toBe(false);
    expect(await isOf('zip', Buffer.concat([archive, Buffer.from(page)]))).toBe(false);
  });

  it('is sound of a general brand only without pictures', async () => {
    const handler = (name: string) => bytesOf([0, 0, 0, 32], 'hdlr', Array(8).fill(0), name, Array(12).fill(0));
    const file = (...names: string[]) => {
      const tracks = Buffer.concat(names.map(handler));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(8 + tracks.length);
      return Buffer.concat([media('mp42'), length, Buffer.from('moov'), tracks]);
    };
    expect(await isOf('m4a', file('soun'))).toBe(true);
    expect(await isOf('mp4', file('soun'))).toBe(true);
    expect(await isOf('m4a', file('soun', 'vide'))).toBe(false);
    expect(await isOf('m4a', file('vide'))).toBe(false);
    expect(await isOf('m4a', file())).toBe(false);
    expect(
      await isOf(
        'm4a',
        bytesOf([0, 0, 0, 20], 'ftypmp42', Array(8).fill(0), [0, 0, 0, 4], 'none', [0, 0, 0, 1, 1, 1, 1, 1]),
      ),
    ).toBe(false);
    expect(await isOf('mp3', file('soun'))).toBe(false);
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
      zip([['meta-inf/manifest.mf', 'a']]),
      // Another reader takes the number of entries for true, or the bytes of the directory.
      withNumber(SAMPLES.docx, 10, 2),
      withNumber(SAMPLES.docx, 12, 60),
      withNumber(SAMPLES.docx, 16, 0),
      zip([['a.txt', 'a']], 'PK\x05\x06 is in the comment'),
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

describe('a large archive (Zip64)', () => {
  const TYPES = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'zip'] as const;

  it.each(TYPES)('is of its type, whatever its end repeats: %s', async (type) => {
    for (const isMarked of [true, false]) {
      const content = withZip64(SAMPLES[type], { isMarked });
      for (const other of TYPES) expect([other, await isOf(other, content)]).toEqual([other, other === type]);
    }
  });

  it('is read as another package writes it', async () => {
    const entries = [{ path: 'a.txt', content: 'a' }];
    expect(await isOf('zip', await zipOf(entries, { forceZip64Format: true }))).toBe(true);
  });

  it('is read as exports write it', { tags: 'long' }, async () => {
    const many = Array.from({ length: 65_536 }, (_, index) => [`${index}`, ''] as const);
    expect(await isOf('zip', await exportOf(many))).toBe(true);
  });

  it('is of no type when its numbers leave room for another directory', async () => {
    const whole = withZip64(SAMPLES.docx);
    const [record, locator, end] = ['PK\x06\x06', 'PK\x06\x07', 'PK\x05\x06'].map((mark) => whole.lastIndexOf(mark));
    const changed = (from: number | undefined, place: number, value: number) => {
      const copy = Buffer.from(whole);
      copy[(from as number) + place] = value;
      return copy;
    };
    const refused = [
      changed(record, 0, 0),
      changed(record, 4, 45),
      changed(record, 16, 1),
      changed(record, 20, 1),
      changed(record, 24, 9),
      changed(record, 32, 9),
      changed(record, 40, 9),
      changed(record, 48, 9),
      changed(record, 55, 9),
      changed(locator, 4, 1),
      changed(locator, 8, 9),
      changed(locator, 16, 2),
      changed(end, 4, 1),
      changed(end, 8, 9),
      changed(end, 10, 9),
      changed(end, 12, 9),
      changed(end, 16, 9),
      Buffer.concat([whole.subarray(0, record), Buffer.alloc(4), whole.subarray(record)]),
    ];
    for (const [index, content] of refused.entries()) {
      for (const type of FILE_TYPE_NAMES) {
        expect([index, type, await isOf(type, content)]).toEqual([index, type, false]);
      }
    }
  });

  it('is of no type when a reader without Zip64 finds another directory in it', async () => {
    // Such a reader takes the bytes before the end for the directory: 76 bytes later.
    const hidden = Buffer.from('PK\x01\x02').toString('latin1');
    const content = withZip64(zip([[`${'a'.repeat(30)}${hidden}`, 'a']]), { isMarked: false });
    expect(await isOf('zip', content)).toBe(false);
    const second = withZip64(
      zip([
        ['a'.repeat(30), 'a'],
        ['b', 'b'],
      ]),
    );
    expect(await isOf('zip', second)).toBe(true);
  });

  it('is found after another file, whatever its disks are', async () => {
    const archive = withZip64(SAMPLES.zip);
    const end = archive.lastIndexOf('PK\x05\x06');
    archive.fill(0xff, end + 4, end + 8);
    expect(await isOf('zip', archive)).toBe(true);
    expect(await isOf('pdf', Buffer.concat([SAMPLES.pdf, archive]))).toBe(false);
  });
});

it('is stored under a type only if no other reader finds something else in it', { tags: 'long' }, async () => {
  await fc.assert(
    fc.asyncProperty(altered.map(contentOf), async (content) => {
      for (const type of FILE_TYPE_NAMES) {
        if (await isOf(type, content)) expect([type, await whyUnsafe(type, content)]).toEqual([type, undefined]);
      }
    }),
    { numRuns: rounds(20_000, 300) },
  );
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
      fc.property(names, (given) => {
        const name = safeName(given);
        if (name !== '') expect(whyUnsafeName(name)).toBeUndefined();
        expect(safeName(name)).toBe(name);
      }),
      { numRuns: rounds(20_000, 2_000) },
    );
  });

  it('has at most 200 characters and keeps its extension', () => {
    const name = safeName(`${'é'.repeat(300)}.docx`);
    expect([...name].length).toBe(200);
    expect(name.endsWith('é.docx')).toBe(true);
    expect([...safeName('😀'.repeat(300))].length).toBe(200);
    expect(safeName(`${'a'.repeat(199)} ${'b'.repeat(99)}`)).toBe('a'.repeat(199));
  });
});

describe('the path of a file in an archive', () => {
  const ID = '0198f2c0-0000-7000-8000-000000000000';
  const nameIn = (name: string): string => archivePath(ID, name).slice(`files/${ID}/`.length);

  it.each([
    ['cv.pdf', 'cv.pdf'],
    ['Lebenslauf äöü 👩‍🔬.pdf', 'Lebenslauf äöü 👩‍🔬.pdf'],
    ['Offer: what?* "now" <1|2>.pdf', 'Offer_ what__ _now_ _1_2_.pdf'],
    ['CON', '_CON'],
    ['con.txt', '_con.txt'],
    ['aux .pdf', '_aux .pdf'],
    ['LPT1.tar.gz', '_LPT1.tar.gz'],
    ['COM¹.pdf', '_COM¹.pdf'],
    ['console.txt', 'console.txt'],
    ['conf.txt', 'conf.txt'],
    ['COM10.txt', 'COM10.txt'],
  ])('of %j has the name %j', (name, expected) => expect(nameIn(name)).toBe(expected));

  it('has at most 255 bytes in its name, and keeps its extension', () => {
    const name = nameIn(safeName(`${'字'.repeat(300)}.docx`));
    expect(Buffer.byteLength(name)).toBe(254);
    expect(name.endsWith('字.docx')).toBe(true);
  });

  it('can be unpacked by each system, for any safe name', () => {
    const refused = /[<>:"|?*\\\p{Cc}]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:[. ]|$)/iu;
    fc.assert(
      fc.property(names, (given) => {
        const name = nameIn(safeName(given) || 'file');
        expect(name).not.toMatch(refused);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      }),
      { numRuns: rounds(20_000, 2_000) },
    );
  });
});
