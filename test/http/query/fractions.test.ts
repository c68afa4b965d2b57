// @module-tag fault

import type { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appDocument, untilReady } from '../../support/database/index-slots.ts';
import { rounds } from '../../support/run/rounds.ts';
import { findUsers } from '../../support/server/found-users.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const fields = [
  { key: 'indexed', kind: 'date' as const, indexed: true },
  { key: 'scanned', kind: 'date' as const },
];

/** The digits of fractions of a second, and the milliseconds that they are. */
const FRACTIONS: [string, number][] = [
  ['0', 0],
  ['0000000000', 0],
  ['0009', 0],
  ['000999999', 0],
  ['0009999999', 0],
  ['0009999999999', 0],
  ['000999999999999999', 0],
  ['00000000000000000000000000001', 0],
  ['001', 1],
  ['0010000000000000001', 1],
  ['00199999999999999999', 1],
  ['1', 100],
  ['12', 120],
  ['123', 123],
  ['12399999999999999999', 123],
  ['9989999999999999999999999', 998],
  ['999', 999],
  ['999999', 999],
  ['99999999999999999999999999', 999],
  ...[7, 29, 57, 115, 249, 253, 501, 505, 509, 573, 997].map((ms): [string, number] => [`${ms}`.padStart(3, '0'), ms]),
];
const TIMES = FRACTIONS.flatMap(([digits, ms]): [string, number][] => [
  [`2026-01-31T08:30:00.${digits}Z`, ms],
  [`2026-01-31t10:00:00.${digits}+01:30`, ms],
  [`1815-12-10T00:00:00.${digits}z`, -1_000_000 + ms],
]);

/** The times of conditions, in all formats; every condition is compared with all records. */
const ASKED = TIMES.filter((_, at) => at % rounds(1, 4) === 0);

let server: TestServer;
let appId: ObjectId;

beforeAll(async () => {
  server = await startServer({}, undefined, { writesEndMs: 100, queryBudgetMs: 60_000 });
  const app = await server.admin.buildApp({ fields });
  await untilReady(server, app.sourceAppId, ['indexed']);
  for (const [at, [text]] of TIMES.entries()) {
    const body = { email: `u${at}@example.com`, data: { indexed: text, scanned: text } };
    await server.client.submit(app.sourceAppId, body).expect(200);
  }
  appId = (await appDocument(server, app.sourceAppId))._id;
}, 60_000);
afterAll(() => server.close());

/** The places in `TIMES` of the records that a condition finds, in the order of the answer. */
async function found(key: string, condition: string, order: { sort?: string; order?: 'asc' } = {}): Promise<number[]> {
  const where = [`data.${key}:${condition}`];
  const { users, rest } = await findUsers(server, appId, { where, total: 'none', limit: 200, ...order });
  expect(rest.complete).toBe(true);
  return users.map(({ email }) => Number(email.slice(1, email.indexOf('@'))));
}

const ascending = (list: readonly number[]) => [...list].sort((one, other) => one - other);

describe('the fraction of a second of a date', () => {
  it('is cut to milliseconds alike in an index, without one, and in the value of a condition', {
    tags: 'long',
    timeout: 120_000,
  }, async () => {
    for (const [text, ms] of ASKED) {
      const expected = {
        eq: (other: number) => other === ms,
        gt: (other: number) => other > ms,
        lte: (other: number) => other <= ms,
      };
      for (const [operator, holds] of Object.entries(expected)) {
        const model = TIMES.flatMap(([, other], at) => (holds(other) ? [at] : []));
        for (const key of ['indexed', 'scanned']) {
          const places = ascending(await found(key, `${operator}:${text}`));
          expect({ key, operator, text, places }).toEqual({ key, operator, text, places: model });
        }
      }
    }
  });

  it('is cut alike for an order', async () => {
    const model = [...TIMES.keys()].sort(
      (one, other) => (TIMES[one]?.[1] ?? 0) - (TIMES[other]?.[1] ?? 0) || one - other,
    );
    for (const key of ['indexed', 'scanned']) {
      expect(await found(key, 'exists:true', { sort: `data.${key}`, order: 'asc' })).toEqual(model);
    }
  });
});
