import type { mongo } from 'mongoose';

/**
 * The documents of a cursor that was opened with `raw: true`, as BSON, one batch of the database's at a time. While one is worked on the next is already asked for, so two are in
 * memory at most. The cursor is closed at the end, also when the reader stops early.
 */
export async function* rawBatches(cursor: mongo.FindCursor<Uint8Array>): AsyncGenerator<Uint8Array[]> {
  try {
    for (let next = readAhead(cursor); await next; ) {
      const batch = cursor.readBufferedDocuments();
      next = readAhead(cursor);
      yield batch;
    }
  } finally {
    await cursor.close();
  }
}

/** Whether there is more, which fills the cursor's buffer. A failure is told to whoever awaits it; nobody may, when the reader stops. */
function readAhead(cursor: mongo.FindCursor<Uint8Array>): Promise<boolean> {
  const next = cursor.hasNext();
  next.catch(() => undefined);
  return next;
}
