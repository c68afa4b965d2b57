import { trimmedOf } from '../../platform/text/text.ts';

const MAX_NAME = 200;
const EXTENSION = /\.[^. ]{1,10}$/u;
/** Control characters, lone surrogates, line separators, and marks of the direction of text. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/**
 * Returns a name that is safe to store and to show: of at most 200 characters, without a path;
 * empty if nothing of it is left. Its extension stays.
 */
export function safeName(given: string): string {
  const plain = given.toWellFormed().replace(UNSAFE, '');
  const name = trimmedOf(
    '. ',
    plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('\\')) + 1).replace(/\s+/gu, ' '),
  );
  const characters = [...name];
  if (characters.length <= MAX_NAME) return name;
  const extension = [...(EXTENSION.exec(name)?.[0] ?? '')];
  return trimmedOf(
    '. ',
    characters
      .slice(0, MAX_NAME - extension.length)
      .concat(extension)
      .join(''),
  );
}

/** What Windows has in no name of a file, or as the name of a device, whatever its extension. */
const NOT_IN_NAMES = /[<>:"|?*]/g;
const DEVICE = /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(?=[. ]|$)/i;
/** Of one name, in the file systems of Linux; those of Windows have as many units of UTF-16. */
const MAX_NAME_BYTES = 255;

/**
 * Returns the path of a file in an archive: a folder of its own, and its safe name, changed where a
 * system that unpacks the archive would refuse it (spec 4.14). Its extension stays.
 */
export function archivePath(id: string, name: string): string {
  const plain = name.replace(NOT_IN_NAMES, '_').replace(DEVICE, '_$&');
  return `files/${id}/${cutTo(MAX_NAME_BYTES, plain)}`;
}

function cutTo(maxBytes: number, name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const extension = EXTENSION.exec(name)?.[0] ?? '';
  const characters = [...name.slice(0, name.length - extension.length)];
  let bytes = Buffer.byteLength(extension);
  const kept = characters.findIndex((character) => {
    bytes += Buffer.byteLength(character);
    return bytes > maxBytes;
  });
  return trimmedOf('. ', characters.slice(0, kept).join('')) + extension;
}
