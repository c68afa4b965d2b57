/** How the text of a file is encoded; `bom`: the bytes of its byte order mark. */
interface FileEncoding {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  bom: number;
}

/** By the byte order mark, else UTF-16 if the first character is ASCII in it, else UTF-8. */
export function detectEncoding(first: Uint8Array): FileEncoding {
  const [a, b, c] = first;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', bom: 3 };
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', bom: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', bom: 2 };
  if (a !== undefined && a !== 0 && b === 0) return { encoding: 'utf-16le', bom: 0 };
  if (a === 0 && b !== undefined && b !== 0) return { encoding: 'utf-16be', bom: 0 };
  return { encoding: 'utf-8', bom: 0 };
}

/** Why a file is refused as a whole. */
type FileProblem = 'fileIsSpreadsheet' | 'fileIsWindows1252';

const ZIP = [0x50, 0x4b, 0x03, 0x04];
/** Excel before 2007, and encrypted workbooks. */
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/**
 * Names of entries of workbooks of Excel and Numbers, and the first content of one of OpenDocument.
 */
const WORKBOOK = /\[Content_Types\]\.xml|xl\/workbook|Index\/Document\.iwa|opendocument\.spreadsheet/;

const beginsWith = (bytes: Uint8Array, mark: readonly number[]): boolean =>
  mark.every((byte, index) => bytes[index] === byte);

export const isZip = (first: Uint8Array): boolean => beginsWith(first, ZIP);

/** Returns why a file that begins with these bytes cannot be imported, if it is of a known form. */
export function fileProblem(first: Uint8Array): FileProblem | undefined {
  if (beginsWith(first, COMPOUND)) return 'fileIsSpreadsheet';
  if (isZip(first)) return WORKBOOK.test(latin1(first)) ? 'fileIsSpreadsheet' : undefined;
  return isWindows1252(first) ? 'fileIsWindows1252' : undefined;
}

const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

/** No characters of Windows-1252, and ones that hardly any text has: þ and ÿ. */
const UNLIKELY = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d, 0xfe, 0xff]);

/** Whether bytes above ASCII are characters of Windows-1252, and none of them are UTF-8. */
function isWindows1252(bytes: Uint8Array): boolean {
  if (detectEncoding(bytes).bom > 0) return false;
  let above = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === 0) return false;
    if (byte < 0x80) continue;
    if (UNLIKELY.has(byte)) return false;
    const following = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    const rest = bytes.subarray(at + 1, at + 1 + following);
    // The last character may be cut.
    if (following > 0 && rest.every((one) => one >= 0x80 && one < 0xc0)) {
      if (rest.length === following) return false;
      continue;
    }
    above += 1;
  }
  return above > 0;
}
