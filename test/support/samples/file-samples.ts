import type { FileTypeName } from '../../../src/platform/text/file-types.ts';
import { PNG, zip } from '../server/uploads.ts';

/** Text in Latin-1 and bytes, one after the other. */
export const bytesOf = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
/** A file of the ISO base media format. */
export const media = (brand: string): Buffer =>
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

/** The smallest file of each type that is one. */
export const SAMPLES: Record<FileTypeName, Buffer> = {
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
