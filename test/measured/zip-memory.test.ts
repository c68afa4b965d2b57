// @module-tag long

import { randomBytes } from 'node:crypto';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { UUID } from 'mongodb';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { ADMIN_PASSWORD, startServer } from '../support/server/server.ts';

const RECORDS = 1_200;
const FILES_OF_RECORD = 100;
/** Of a value of 300 bytes; as an object it takes 600. */
const BYTES_OF_VALUE = 220;

/** The bytes that are in use. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  for (let times = 0; times < 2; times += 1) runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it('an archive of many files keeps less of each than its value (invariant 6)', async () => {
  const server = await startServer();
  try {
    const fields = [{ key: 'cv', kind: 'file' as const, types: ['pdf' as const], maxFiles: 10 }];
    const { sourceAppId } = await server.admin.buildApp({ fields });
    const app = await server.db.collection('apps').findOne({ sourceAppId });
    const now = new Date();
    const file = () => ({
      id: v7(),
      name: 'Lebenslauf.pdf',
      type: 'pdf',
      size: 48_213,
      sha256: randomBytes(32).toString('hex'),
    });
    const records = Array.from({ length: RECORDS }, (_, n) => {
      const data = { cv: Array.from({ length: FILES_OF_RECORD }, file) };
      const record = { appId: app?._id, sourceAppId, email: `p${n}@x.org`, data, schemaVersion: 1 };
      return { _id: new UUID(v7()), ...record, createdAt: now, updatedAt: now };
    });
    await server.db.collection<{ _id: UUID }>('users').insertMany(records);
    records.length = 0;
    const { headers } = await server.client
      .post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD })
      .expect(200);
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const url = `${server.client.url}/auth/users/export?format=zip&sourceAppId=${sourceAppId}`;
    /** Reads the archive; resolves with its bytes, and the most that is in use meanwhile. */
    const read = async (query: string) => {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        httpGet(url + query, { headers: { cookie } }, resolve).on('error', reject);
      });
      expect(response.statusCode).toBe(200);
      let [bytes, most] = [0, 0];
      for await (const piece of response) {
        const isNext = Math.floor(bytes / 1_000_000) < Math.floor((bytes + piece.length) / 1_000_000);
        bytes += piece.length;
        if (isNext) most = Math.max(most, liveBytes());
      }
      return { bytes, most };
    };
    // What the first request of this kind loads is not of the files.
    await read('&q=%22p1%22');
    const before = liveBytes();
    const { bytes, most } = await read('');
    expect(bytes).toBeGreaterThan(6_000_000);
    expect((most - before) / (RECORDS * FILES_OF_RECORD)).toBeLessThan(BYTES_OF_VALUE);
  } finally {
    await server.close();
  }
});
