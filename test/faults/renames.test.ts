// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../src/core/apps/revision.ts';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { withLateWrites } from '../support/database/late-writes.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';
import { recordsOf, rename, untilRenamed } from '../support/server/renames.ts';
import { ADMIN_PASSWORD, FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

const TIMEOUT_MS = 120_000;
const POLL = { timeout: 60_000, interval: 20 };
const RECORDS = 12_000;

const leftovers = new Leftovers();
let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, { ...FULL_LEASES, writesEndMs: 300 });
  // This server takes no part in the moves.
  await server.services.jobs.stop();
});
afterAll(async () => {
  await leftovers.clear();
  await server.close();
});

const name = (key: string) => ({ key, kind: 'text' }) as FieldDefinitionInput;
const list = (key: string) => ({ key, kind: 'array' }) as FieldDefinitionInput;

const countWith = (sourceAppId: string, key: string) =>
  server.db.collection('users').countDocuments({ sourceAppId, [`data.${key}`]: { $exists: true } });

it(
  'The move of renamed fields continues after kill -9 of its server, and moves each value once',
  async () => {
    const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields: [name('name'), list('notes')] });
    const { _id } = await appDocument(server, sourceAppId);
    const now = new Date();
    const stored = Array.from({ length: RECORDS }, (_, n): UserDocument => {
      const data = { name: `N${n}`, notes: [{ value: n }] };
      return {
        _id: new UUID(),
        appId: _id,
        sourceAppId,
        email: `u${n}@x.org`,
        data,
        schemaVersion: 2,
        createdAt: now,
        updatedAt: now,
        arraySizes: { notes: 1 },
      };
    });
    await server.db.collection<UserDocument>('users').insertMany(stored);
    const environment = { MONGODB_URI: databaseUri(server.database), SESSION_SECRET: 'a secret of the tests' };
    const killed = leftovers.keep(
      new ServerProcess({ ...environment, ADMIN_PASSWORD }, [process.execPath, 'dist/server.js']),
    );
    await killed.url();
    await rename(server.admin, sourceAppId, {
      fields: [name('fullName'), list('remarks')],
      renames: [
        { from: 'name', to: 'fullName' },
        { from: 'notes', to: 'remarks' },
      ],
    }).expect(200);
    await expect.poll(() => countWith(sourceAppId, 'fullName'), { timeout: 60_000, interval: 2 }).toBeGreaterThan(0);
    await killed.end('SIGKILL');
    await sleep(500); // the statement that the server sent last ends
    const left = await countWith(sourceAppId, 'name');
    expect(left).toBeGreaterThan(0);
    expect(left + (await countWith(sourceAppId, 'fullName'))).toBe(RECORDS);
    expect((await server.admin.get(`/auth/apps/${sourceAppId}/indexes`).expect(200)).body).toMatchObject([
      { key: 'fullName', state: 'renaming' },
      { key: 'remarks', state: 'renaming' },
    ]);
    await server.client.submit(sourceAppId, { email: 'u5@x.org', data: { remarks: ['new'] } }).expect(200);

    const next = await startServer({}, server.database, { ...FULL_LEASES, writesEndMs: 300 });
    try {
      await untilRenamed(next, sourceAppId);
    } finally {
      await next.close();
    }
    const records = await recordsOf(server, sourceAppId);
    expect(records).toHaveLength(RECORDS);
    const wrong = records.filter(({ email, data, arraySizes }) => {
      const n = Number(email.slice(1, -'@x.org'.length));
      const remarks = (data.remarks as { value: unknown }[]).map(({ value }) => value);
      const expected = n === 5 ? [n, 'new'] : [n];
      return (
        Object.keys(data).sort().join() !== 'fullName,remarks' ||
        data.fullName !== `N${n}` ||
        remarks.join() !== expected.join() ||
        JSON.stringify(arraySizes) !== JSON.stringify({ remarks: expected.length })
      );
    });
    expect(wrong).toEqual([]);
  },
  TIMEOUT_MS,
);

describe('A write under an old key that takes effect after its lease and after the move', () => {
  const servers = withLateWrites(() => server.database);

  /** Resolves with the emails of the records that late writes reached under the old schema. */
  async function writeLate(delay: number): Promise<string[]> {
    const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields: [list('notes'), name('name')] });
    const submit = (email: string, data: object) => servers.slow.client.submit(sourceAppId, { email, data });
    await submit('has@x.org', { notes: ['Early'] }).expect(200);
    for (const email of ['lacks@x.org', 'b@x.org', 'c@x.org']) await submit(email, { name: 'N' }).expect(200);
    // A lease that begins now covers the late writes.
    await sleep(LEASE_MS);
    await submit('c@x.org', { name: 'N' }).expect(200);
    servers.proxy.stall();
    const emails = ['has@x.org', 'lacks@x.org', 'new@x.org'];
    const late = emails.map((email) => submit(email, { notes: ['Late'] }).then(({ status }) => status));
    await sleep(50); // the writes are on their way
    const renames = [{ from: 'notes', to: 'remarks' }];
    await rename(server.admin, sourceAppId, { fields: [list('remarks'), name('name')], renames }).expect(200);
    await untilRenamed(servers.builder, sourceAppId);
    await sleep(delay);
    servers.proxy.restore();
    for (const status of await Promise.all(late)) expect([200, 400, 503]).toContain(status);
    await sleep(500); // the writes take effect
    await expect.poll(() => countWith(sourceAppId, 'notes'), POLL).toBe(0);
    const records = await recordsOf(server, sourceAppId);
    const values = ({ data }: UserDocument) =>
      (data.remarks as { value: string }[] | undefined)?.map(({ value }) => value);
    // A record that was moved refuses a write that was checked against the version before.
    expect(records.filter(({ email }) => email === 'has@x.org').map(values)).toEqual([['Early']]);
    return records.filter((record) => values(record)?.join() === 'Late').map(({ email }) => email);
  }

  // Within the time limit of a write, and after its server has given it up.
  it.each([0, 4_000])(
    'is moved when it is delayed by %i ms',
    async (delay) => {
      // The lease may end between the stall and the submission, which then waits for a new one.
      for (let attempt = 0; attempt < 8; attempt += 1) {
        if ((await writeLate(delay)).sort().join() === 'lacks@x.org,new@x.org') return;
      }
      expect.fail('no write was late');
    },
    TIMEOUT_MS,
  );
});
