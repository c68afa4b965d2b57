import { createHash } from 'node:crypto';
import type { UserRecord } from '../users.presenter.ts';

const DIGEST_LENGTH = 16;

type Versioned = Pick<UserRecord, 'updatedAt' | 'data'>;

/**
 * Returns the ETag of a record (spec 4.3). It has a hash of `data` beside the time, because a
 * submission that is stored after a later one changes the record without moving `updatedAt`.
 */
export function etagOf({ updatedAt, data }: Versioned): string {
  const digest = createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, DIGEST_LENGTH);
  return `"${updatedAt.toISOString()}-${digest}"`;
}

/** Whether one of the tags names this state of the record: its ETag, or its `updatedAt` alone. */
export function isNamed(tags: readonly string[], record: Versioned): boolean {
  return tags.includes(`"${record.updatedAt.toISOString()}"`) || tags.includes(etagOf(record));
}
