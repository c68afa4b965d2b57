import { createHash } from 'node:crypto';
import { Binary, type ObjectId } from 'mongodb';
import { BY_TOKEN, type FileCollection } from './files.model.ts';

/** A whole file whose token a client sent. */
export interface KnownFile {
  token: string;
  name: string;
  type: string;
  /** In bytes. */
  size: number;
  sha256: string;
}

/** More than the fields of a form may have (fields/kinds/file.ts). */
const MAX_TOKENS = 200;
const TOKEN = /^[\w-]{1,200}$/;

/**
 * Returns a function that resolves with the whole files of an app that have these tokens, also with
 * those that a record has already.
 */
export function createKnownFiles(files: FileCollection) {
  return async (appId: ObjectId, tokens: readonly string[]): Promise<KnownFile[]> => {
    const asked = [...new Set(tokens)].filter((token) => TOKEN.test(token)).slice(0, MAX_TOKENS);
    if (asked.length === 0) return [];
    const hashes = asked.map((token) => new Binary(createHash('sha256').update(token).digest()));
    const filter = { 'metadata.appId': appId, 'metadata.token': { $in: hashes }, 'metadata.state': 'whole' as const };
    const found = await files.find(filter, { hint: BY_TOKEN }).toArray();
    return found.flatMap(({ length, filename, metadata: { token: hash, type = '', sha256 = '' } }) => {
      const token = asked.find((_, index) => hash && hashes[index]?.buffer.equals(hash.buffer));
      return token === undefined ? [] : [{ token, name: filename, type, size: length, sha256 }];
    });
  };
}
