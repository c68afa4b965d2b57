import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { appDocument } from '../database/index-slots.ts';
import type { TestServer } from './server.ts';

const newId = createOrderedIds();

/**
 * Stores records of an app, `p0@x.org` and so on, without submissions: they have no index values,
 * no words, and no events.
 */
export async function storePeople(
  server: Pick<TestServer, 'db'>,
  sourceAppId: string,
  count: number,
  dataOf: (n: number) => object,
): Promise<void> {
  const { _id: appId } = await appDocument(server, sourceAppId);
  const at = new Date();
  const records = Array.from({ length: count }, (_, n) => ({
    _id: newId(at),
    appId,
    sourceAppId,
    email: `p${n}@x.org`,
    data: dataOf(n),
    schemaVersion: 1,
    createdAt: at,
    updatedAt: at,
  }));
  if (count > 0) await server.db.collection<(typeof records)[number]>('users').insertMany(records);
}
