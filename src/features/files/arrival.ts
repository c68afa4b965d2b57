import { createHash } from 'node:crypto';
import type { ObjectId, UUID } from 'mongodb';
import { InvalidInput, TooLarge } from '../../platform/core/errors.ts';
import { type PlainCode, type Reason, say, toReason } from '../../platform/languages/reasons.ts';
import { type FileTypeName, typeOfName } from '../../platform/text/file-types.ts';
import type { ByteRange } from './file-content.ts';
import { safeName } from './file-names.ts';
import { examine } from './file-types.ts';
import { NotScanned, type Scanner } from './scanner.ts';

/** A megabyte of the limits of files. */
export const MB = 1_000_000;

/** A file that is about to be sent. */
export interface Arrival {
  appId: ObjectId;
  field: { key: string; types: readonly FileTypeName[]; maxBytes?: number | undefined };
  /** The version of the schema that has the field. */
  version: number;
  /** As the client sent it. */
  name: string;
  /** The number of its bytes, if the client says it. */
  declared?: number | undefined;
  /** The network that sends it. Absent: the staff sends it, who needs no token. */
  network?: string | undefined;
  /** The id that it gets, and the hash that it must have, if the sender knows them. */
  id?: UUID | undefined;
  sha256?: string | undefined;
}

export type ReadRange = (range: ByteRange) => AsyncIterable<Buffer>;

/**
 * Returns a function that resolves with what a content is (spec 4.14.1).
 * @throws {InvalidInput} `fileEmpty`, `fileType`, `fileInfected`, `fileChanged`
 */
export function createInspection(scanner: Scanner | undefined) {
  /** A file that is not scanned waits, and nobody can read it (file-scans.ts). */
  async function scanned(read: () => AsyncIterable<Buffer>): Promise<'infected' | 'waiting' | undefined> {
    try {
      return (await scanner?.isInfected(read())) ? 'infected' : undefined;
    } catch (error) {
      if (error instanceof NotScanned) return 'waiting';
      throw error;
    }
  }

  return async ({ field: { key, types }, sha256 }: Arrival, name: string, size: number, read: ReadRange) => {
    const whole = { start: 0, end: size - 1 };
    const type = typeOfName(name);
    const examination = type && examine(type);
    const hash = createHash('sha256');
    for await (const bytes of read(whole)) {
      hash.update(bytes);
      examination?.add(bytes);
    }
    const digest = hash.digest('hex');
    if (sha256 !== undefined && digest !== sha256) throw refusal(key, 'fileChanged');
    const isOfType = await examination?.end((start, end) => readRange(read, start, end));
    if (size === 0) throw refusal(key, 'fileEmpty');
    if (!type || !isOfType || !types.includes(type)) throw refusal(key, typeProblem(types));
    const scan = await scanned(() => read(whole));
    if (scan === 'infected') throw refusal(key, 'fileInfected');
    return { type, sha256: digest, scan };
  };
}

/** @throws {InvalidInput} when the name is none, or of a type that the field does not take */
export function checkName({ name: given, field }: Arrival): string {
  const name = safeName(given);
  if (name === '') throw refusal(field.key, 'fileName');
  const type = typeOfName(name);
  if (!type || !field.types.includes(type)) throw refusal(field.key, typeProblem(field.types));
  return name;
}

async function readRange(read: ReadRange, start: number, end: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  if (end > start) for await (const bytes of read({ start, end: end - 1 })) parts.push(bytes);
  return Buffer.concat(parts);
}

const typeProblem = (types: readonly FileTypeName[]): Reason => say('fileType', { types: types.join(', ') });

/** A refusal with the code of the problem of the field. */
export function refusal(key: string, given: PlainCode | Reason): InvalidInput {
  return new InvalidInput(given, [{ path: `data.${key}`, ...toReason(given) }]);
}

export const tooLargeError = (most: number): TooLarge => new TooLarge(say('fileTooLarge', { max: most / MB }));
