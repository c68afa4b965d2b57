// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { holdJob } from '../support/database/held-job.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { rounds } from '../support/run/rounds.ts';
import { linesIn, prepareImport, rejectsOf, untilImport } from '../support/server/imports.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const LINES = rounds(20_000, 3_000);
/** The lines of a file of which the answers to a batch are lost. */
const LOST_LINES = rounds(5_000, 3_000);
/** The persons of a file in which each has several lines. */
const PERSONS = LINES / 4;
const TIMES = { importWritesEndMs: 500 };

let server: TestServer;

/** Starts a server for a group of tests. */
function withServer(): void {
  beforeAll(async () => {
    server = await startServer({}, undefined, TIMES);
  });
  afterAll(() => server.close());
}

const emailOf = (line: number): string => `p${line}@example.com`;
/** A file whose line N has the email and the number N. */
const fileOf = (lines = LINES): string =>
  `email,data.n,data.items\n${Array.from({ length: lines - 1 }, (_, index) => `${emailOf(index + 2)},${index + 2},${index + 2}\n`).join('')}`;

const FIELDS = [
  { key: 'n', kind: 'number' as const },
  { key: 'items', kind: 'array' as const },
];

async function startImport(app: string, content = fileOf(), settings = {}): Promise<string> {
  const id = await prepareImport(server.admin, app, content, settings);
  await server.admin.post(`/auth/imports/${id}/start?sourceAppId=${app}`).expect(200);
  return id;
}

const records = (sourceAppId: string) => server.db.collection('users').find({ sourceAppId }).toArray();

/** Expects each line once: in the items of its person, or in the rejected lines. */
async function expectEachLineOnce(app: string, id: string, lines = LINES): Promise<number[]> {
  const applied = (await records(app)).flatMap(({ data }) =>
    data.items.map(({ value }: { value: string }) => Number(value)),
  );
  const rejected = linesIn(await rejectsOf(server.admin, app, id));
  const all = [...applied, ...rejected].sort((one, other) => one - other);
  expect(all).toEqual(Array.from({ length: lines - 1 }, (_, index) => index + 2));
  return rejected;
}

describe('beside a running import', () => {
  withServer();

  it('a field is renamed: its values move, and no record keeps the old key', async () => {
    const { sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS });
    const [n, items] = FIELDS as [never, never];
    for (const line of [2, 3, 4]) {
      const data = { n: 7, items: ['earlier'] };
      await server.client.submit(app, { email: emailOf(line), data }).expect(200);
    }
    // Nothing moves the values but the import.
    const letRun = await holdJob(server, 'renames');
    const fields = [n, { ...(items as object), key: 'entries' }];
    await server.admin
      .put(`/auth/apps/${app}/schema`, { rejectUnknown: false, fields, renames: [{ from: 'items', to: 'entries' }] })
      .expect(200);
    const lines = ['email,entries', ...[2, 3, 4, 5].map((line) => `${emailOf(line)},${line}`)];
    const id = await startImport(app, lines.join('\n'));
    expect(await untilImport(server.admin, app, id)).toMatchObject({ created: 1, updated: 3, rejected: 0 });
    const found = await records(app);
    expect(found).toHaveLength(4);
    for (const { data, email } of found) {
      expect(data).not.toHaveProperty('items');
      const values = data.entries.map(({ value }: { value: string }) => value);
      expect(values).toEqual(email === emailOf(5) ? ['5'] : ['earlier', email.match(/\d+/)?.[0]]);
    }
    await letRun();
  });

  it('a schema is replaced: each line is applied or rejected, by the newest schema from then on', async () => {
    // Again with a longer file when the import was faster than the change.
    for (let lines = LINES; ; lines *= 2) {
      const { sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS });
      const id = await startImport(app, fileOf(lines));
      await untilImport(server.admin, app, id, ({ read }) => read > 1_000);
      const fields = [{ ...FIELDS[0], max: 10 } as never, FIELDS[1] as never];
      await server.admin.putSchema(app, { fields }).expect(200);
      const { read } = await untilImport(server.admin, app, id, () => true);
      const result = await untilImport(server.admin, app, id);
      expect(result).toMatchObject({ state: 'completed', read: lines - 1 });
      const rejected = await expectEachLineOnce(app, id, lines);
      expect(rejected).toHaveLength(result.rejected);
      if (rejected.length === 0 && lines < 8 * LINES) continue;
      // The batch in flight and the one that was read ahead may be of the old schema at most.
      expect(Math.min(...rejected)).toBeLessThan(read + 2_000);
      return;
    }
  });

  it('the app is deleted: nothing of it is left when the DELETE has answered', async () => {
    const { sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS });
    const { _id: appId } = await appDocument(server, app);
    const id = await startImport(app);
    await untilImport(server.admin, app, id, ({ read }) => read > 1_000);
    await server.admin.delete(`/auth/apps/${app}`).expect(200);
    for (let round = 0; round < 5; round += 1) {
      expect(await records(app)).toEqual([]);
      for (const name of ['imports', 'import_chunks', 'import_rejects']) {
        expect(await server.db.collection(name).countDocuments({ appId })).toBe(0);
      }
      await sleep(100);
    }
  });

  it('the import is deleted: it stops, and its records stay', async () => {
    const { sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS });
    const id = await startImport(app);
    await untilImport(server.admin, app, id, ({ read }) => read > 1_000);
    await server.admin.delete(`/auth/imports/${id}?sourceAppId=${app}`).expect(200);
    await server.admin.get(`/auth/imports/${id}?sourceAppId=${app}`).expect(404);
    const { _id: appId } = await appDocument(server, app);
    await expect.poll(() => server.db.collection('import_chunks').countDocuments({ appId })).toBe(0);
    await expect.poll(() => server.db.collection('imports').countDocuments({ appId })).toBe(0);
    const stayed = (await records(app)).length;
    expect(stayed).toBeGreaterThan(1_000);
    await sleep(500);
    expect(await records(app)).toHaveLength(stayed);
    // The next import of the app is not held up.
    const next = await startImport(app, 'email\nx@example.com\n');
    expect(await untilImport(server.admin, app, next)).toMatchObject({ state: 'completed', created: 1 });
  });

  it('submissions for the same persons append their items once', async () => {
    const { sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS });
    const persons = 50;
    const rows = Array.from({ length: 2_000 }, (_, index) => `${emailOf(index % persons)},${index + 2},${index + 2}\n`);
    const id = await startImport(app, `email,data.n,data.items\n${rows.join('')}`);
    let sent = 0;
    let isRunning = true;
    const submit = async (): Promise<void> => {
      while (isRunning) {
        const data = { items: [`s${sent}`] };
        sent += 1;
        await server.client.submit(app, { email: emailOf(sent % persons), data }).expect(200);
      }
    };
    const submitting = [submit(), submit()];
    const result = await untilImport(server.admin, app, id);
    isRunning = false;
    await Promise.all(submitting);
    expect(result).toMatchObject({ state: 'completed', read: 2_000, rejected: 0 });
    const items = (await records(app)).flatMap(({ data }) => data.items.map(({ value }: { value: string }) => value));
    expect(items).toHaveLength(2_000 + sent);
    expect(new Set(items).size).toBe(items.length);
  });
});

describe('a person who is erased', () => {
  withServer();

  it('is not brought back by lines that are still to be read, and no import names them', async () => {
    const { sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS });
    const last = 'erased.person@example.com';
    const file = `${fileOf()}Erased.Person@example.com,1,secret\nnot.erased.person@example.com,1,kept\n`;
    const id = await startImport(app, file);
    const { body } = await server.admin.post(`/auth/people/erase?sourceAppId=${app}`, { email: last }).expect(200);
    expect(body.erased).toMatchObject({ importLines: 1 });
    const result = await untilImport(server.admin, app, id);
    expect(result).toMatchObject({ state: 'completed', read: LINES + 1, rejected: 1, created: LINES });
    expect(await server.db.collection('users').findOne({ email: last })).toBeNull();
    expect(await server.db.collection('users').findOne({ email: `not.${last}` })).not.toBeNull();
    expect((await rejectsOf(server.admin, app, id)).toLowerCase()).not.toMatch(/erased\.person|secret/);
  });

  it('is found in files and rejected lines by an export, and is gone from them after an erasure', async () => {
    const { sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS });
    const text = 'email,data.n\nada@example.com,x\nbob@example.com,1\n';
    const ended = await startImport(app, text);
    await untilImport(server.admin, app, ended);
    const wide = Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
    const waiting = await prepareImport(server.admin, app, wide as never);
    const exported = async () =>
      (await server.admin.post(`/auth/people/export?sourceAppId=${app}`, { email: 'ada@example.com' }).expect(200)).body
        .entries;
    await expect
      .poll(() =>
        server.db
          .collection('imports')
          .findOne({ sourceAppId: app, state: 'completed', 'chunks.0': { $exists: true } }),
      )
      .toBeNull();
    expect(await exported()).toEqual([
      { kind: 'import-line', sourceAppId: app, import: waiting, text: 'ada@example.com,x' },
      {
        kind: 'import-reject',
        sourceAppId: app,
        import: ended,
        line: 2,
        reason: 'data.n must be a number',
        text: 'ada@example.com,x',
      },
    ]);
    const { body } = await server.admin
      .post(`/auth/people/erase?sourceAppId=${app}`, { email: 'ada@example.com' })
      .expect(200);
    expect(body.erased).toMatchObject({ records: 0, importLines: 2 });
    expect(await exported()).toEqual([]);
    expect(await rejectsOf(server.admin, app, ended)).toBe(
      'line,reason,email,data.n\r\n2,data.n must be a number,\r\n',
    );
    await server.admin.post(`/auth/imports/${waiting}/start?sourceAppId=${app}`).expect(200);
    expect(await untilImport(server.admin, app, waiting)).toMatchObject({ read: 2, unchanged: 1, rejected: 1 });
  });
});

describe('a server that loses the database while it imports', () => {
  let proxy: TcpProxy;
  /** The server that loses the database, and alone runs imports. */
  let behind: TestServer;
  withServer();
  beforeAll(async () => {
    await server.services.jobs.stop();
    proxy = await startProxy(new URL(inject('mongodbUri')));
    behind = await startServer({ MONGODB_URI: through(proxy) }, server.database, TIMES);
  });
  afterEach(() => proxy.restore());
  afterAll(async () => {
    await behind.close();
    await proxy.close();
  });

  it('is followed by another one, which applies each line once', async () => {
    const { sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS });
    const rows = Array.from(
      { length: LINES - 1 },
      (_, index) => `${emailOf(index % PERSONS)},${index + 2},${index + 2}\n`,
    );
    const id = await startImport(app, `email,data.n,data.items\n${rows.join('')}`);
    await untilImport(server.admin, app, id, ({ read }) => read > 1_000);
    const second = await startServer({}, server.database, TIMES);
    try {
      proxy.cut();
      const result = await untilImport(server.admin, app, id);
      expect(result).toMatchObject({
        state: 'completed',
        read: LINES - 1,
        created: PERSONS,
        updated: LINES - PERSONS - 1,
      });
      expect(await expectEachLineOnce(app, id)).toEqual([]);
    } finally {
      await second.close();
    }
  });

  // With a line for each person, later batches insert without reading records first.
  it.each([
    [0, 1_000],
    [1, 1_000],
    [2, 1_000],
    [3, 1_000],
    [0, LOST_LINES],
    [1, LOST_LINES],
  ])(
    'repeats the batch whose answers were lost, after %i writes, without effect (%i persons)',
    async (after, persons) => {
      const { sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS });
      const rows = Array.from(
        { length: LOST_LINES - 1 },
        (_, index) => `${emailOf(index % persons)},${index % 7 ? index : 'x'},${index + 2}\n`,
      );
      const id = await startImport(app, `email,data.n,data.items\n${rows.join('')}`);
      await untilImport(server.admin, app, id, ({ read }) => read >= 500);
      // Both attempts of the driver.
      proxy.withholdAnswers('cut', 2, after * 2);
      const result = await untilImport(server.admin, app, id);
      expect(result).toMatchObject({ state: 'completed', read: LOST_LINES - 1 });
      const rejected = await expectEachLineOnce(app, id, LOST_LINES);
      expect(rejected).toHaveLength(result.rejected);
      expect(result.created).toBe((await records(app)).length);
    },
  );
});

function through({ port }: TcpProxy): string {
  const uri = new URL(inject('mongodbUri'));
  uri.port = String(port);
  return uri.href;
}
