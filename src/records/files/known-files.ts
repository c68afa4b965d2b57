import type { ObjectId } from 'mongodb';
import { BY_TOKEN, type FileCollection } from './files.model.ts';
import { hashOf } from './incoming.ts';

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
    const byHash = new Map(asked.map((token) => [hashOf(token).toString('base64'), token]));
    const filter = {
      'metadata.appId': appId,
      'metadata.token': { $in: asked.map(hashOf) },
      'metadata.state': 'whole' as const,
    };
    const found = await files.find(filter, { hint: BY_TOKEN }).toArray();
    return found.flatMap(({ length, filename, metadata: { token: hash, type = '', sha256 = '' } }) => {
      const token = byHash.get(hash?.toString('base64') ?? '');
      return token === undefined ? [] : [{ token, name: filename, type, size: length, sha256 }];
    });
  };
}
