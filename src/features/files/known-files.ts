import type { Document, ObjectId } from 'mongodb';
import { BY_TOKEN, type FileCollection, type FileDocument } from './files.model.ts';
import { hashOf } from './incoming.ts';

/** A whole file whose token a client sent. */
interface KnownFile {
  token: string;
  name: string;
  type: string;
  /** In bytes. */
  size: number;
  sha256: string;
  /** Whether a submission has used its token up. */
  isUsed: boolean;
}

/** More than the fields of a form may have (core/fields/kinds/file.ts). */
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
    const found = await findByTokens(files, appId, asked);
    return [...found].map(
      ([
        token,
        {
          length,
          filename,
          metadata: { type = '', sha256 = '', record, held },
        },
      ]) => {
        return { token, name: filename, type, size: length, sha256, isUsed: !!record || !!held };
      },
    );
  };
}

/** Resolves with the whole files of an app that have these tokens, by their tokens. */
export async function findByTokens<File extends FileDocument = FileDocument>(
  files: FileCollection,
  appId: ObjectId,
  tokens: readonly string[],
  projection: Document = {},
): Promise<Map<string, File>> {
  const byHash = new Map(tokens.map((token) => [hashOf(token).toString('base64'), token]));
  const filter = {
    'metadata.appId': appId,
    'metadata.token': { $in: tokens.map(hashOf) },
    'metadata.state': 'whole' as const,
  };
  const found = await files.find<File>(filter, { projection, hint: BY_TOKEN }).toArray();
  return new Map(found.map((one) => [byHash.get(one.metadata.token?.toString('base64') ?? '') ?? '', one]));
}
