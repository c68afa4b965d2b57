import { createHmac, randomBytes } from 'node:crypto';
import { mongo } from 'mongoose';
import type { ImportDocument } from './imports.model.ts';

const BYTES = 16;

/** The key of the hashes of one import, so that they do not tell who is in two imports. */
export function newExclusionKey(): mongo.Binary {
  return new mongo.Binary(randomBytes(BYTES));
}

/** What an import keeps of a person who was erased, to pass over the lines of that person. */
export function exclusionOf({ exclusionKey }: Pick<ImportDocument, 'exclusionKey'>, email: string): mongo.Binary {
  const key = Buffer.from(exclusionKey.buffer).subarray(0, exclusionKey.position);
  return new mongo.Binary(createHmac('sha256', key).update(email).digest().subarray(0, BYTES));
}

/** Returns the test whether an email was excluded from an import. */
export function exclusionTest(document: Pick<ImportDocument, 'exclusionKey' | 'excluded'>): (email: string) => boolean {
  if (document.excluded.length === 0) return () => false;
  const excluded = new Set(document.excluded.map((hash) => hash.toString('hex')));
  return (email) => excluded.has(exclusionOf(document, email).toString('hex'));
}
