/** The types of BSON elements (bsonspec.org) that the service stores. */
export const DOUBLE = 0x01;
export const STRING = 0x02;
export const OBJECT = 0x03;
export const ARRAY = 0x04;
export const BINARY = 0x05;
export const BOOLEAN = 0x08;
export const DATE = 0x09;
export const NULL = 0x0a;
export const INT32 = 0x10;
const OBJECT_ID = 0x07;
export const UUID_SUBTYPE = 4;
/** The length of a UUID. */
export const UUID_BYTES = 16;

/**
 * A BSON type that the service does not store. The caller decodes the document with the driver
 * instead.
 */
export class UnknownType extends Error {
  override readonly name = 'UnknownType';
}

/** The position of the NUL that terminates the name of an element. */
export function endOfName(source: Buffer, start: number): number {
  let at = start;
  while (source[at] !== 0) at += 1;
  return at;
}

/** The length of a value in bytes. @throws {UnknownType} */
export function lengthOf(type: number, source: Buffer, at: number): number {
  switch (type) {
    case STRING:
      return 4 + source.readInt32LE(at);
    case OBJECT:
    case ARRAY:
      return source.readInt32LE(at);
    case BINARY:
      return 5 + source.readInt32LE(at);
    case DOUBLE:
    case DATE:
      return 8;
    case INT32:
      return 4;
    case BOOLEAN:
      return 1;
    case NULL:
      return 0;
    case OBJECT_ID:
      return 12;
    default:
      throw new UnknownType();
  }
}

/** The time of the date at `at`, in milliseconds since 1970. */
export function timeAt(source: Buffer, at: number): number {
  return source.readUInt32LE(at) + source.readInt32LE(at + 4) * 2 ** 32;
}
