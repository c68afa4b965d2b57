// @module-tag long

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEASE_MS } from '../../src/core/apps/revision.ts';
import { Unavailable } from '../../src/platform/core/errors.ts';
import { READ_HOLDS_MS } from '../../src/platform/database/lateness.ts';
import { untilDatabaseTime } from '../support/clock/database-time.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

// A statement of one server is held in the network while another one changes the email of a record.

const FIELDS = [
  { key: 'name', kind: 'text' },
  { key: 'visits', kind: 'array' },
] as const;
const FORMER = 'former@example.com';
const NEXT = 'next@example.com';
const POLL = { timeout: 40_000 };

let main: TestServer;
let slow: TestServer;
let proxy: TcpProxy;
let app: string;
let operator: Client;
let ofSlow: Client;
beforeAll(async () => {
  main = await startServer();
  ({ proxy, slow } = await startSlow({}, main.database));
  await slow.services.jobs.stop();
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
});
beforeEach(async () => {
  const built = await main.admin.buildApp({ fields: [...FIELDS] });
  app = built.sourceAppId;
  operator = await new Client(main.client.url).logIn(app, built.password);
  ofSlow = await new Client(slow.client.url).logIn(app, built.password);
});

const submit = (email: string, visit: string, key: string, server = main) =>
  server.client.submit(app, { email, data: { visits: [visit] } }).set('Idempotency-Key', key);
const change = (id: string, email: string, client = operator) => client.put(`/auth/users/${id}/email`, { email });
const create = async (email: string, key = 'first'): Promise<string> =>
  (await submit(email, 'one', key).expect(200)).body.id;
const stored = async () =>
  (await main.db.collection('users').find({ sourceAppId: app }).sort({ email: 1 }).toArray()).map((one) => ({
    id: String(one._id),
    email: one.email,
    visits: one.data.visits?.length ?? 0,
  }));

describe('a repeat that is stored late', () => {
  it('is withdrawn when it created a record of the former email', async () => {
    const id = await create(FORMER);
    const held = proxy.holdNext('insert', 'users');
    const repeat = submit(FORMER, 'one', 'first', slow).then((response) => response);
    const forward = await held;
    await change(id, NEXT).expect(200);
    await forward();
    const { status, body } = await repeat;
    expect([status, body.id]).toEqual([200, id]);
    expect(await stored()).toEqual([{ id, email: NEXT, visits: 1 }]);
  });

  it('is withdrawn also when the server cannot read the app after it', async () => {
    const id = await create(FORMER);
    const held = proxy.holdNext('insert', 'users');
    const repeat = submit(FORMER, 'one', 'first', slow).then((response) => response);
    const forward = await held;
    await change(id, NEXT).expect(200);
    vi.spyOn(slow.services.leases, 'hold').mockRejectedValueOnce(new Unavailable());
    await forward();
    const { status, body } = await repeat;
    expect([status, body.id]).toEqual([200, id]);
    expect(await stored()).toEqual([{ id, email: NEXT, visits: 1 }]);
  });

  it('looks for no former email while no email of the app was changed', async () => {
    const lookUps = proxy.holdAll('find', 'applied_keys', [Buffer.from('_id')]);
    lookUps.release();
    const held = proxy.holdNext('insert', 'users');
    const late = submit(FORMER, 'one', 'first', slow).then((response) => response);
    const forward = await held;
    await sleep(2 * LEASE_MS);
    await forward();
    expect((await late).status).toBe(200);
    expect(lookUps.seen).toEqual([]);
  });

  it('creates none while submissions with keys are fenced, and delays the change', async () => {
    const id = await create(FORMER);
    const other = await create('other@example.com');
    await change(other, 'another@example.com').expect(200);
    await main.db
      .collection('users')
      .updateOne({ sourceAppId: app, email: FORMER }, { $set: { email: 'hidden@x.org' } });
    const held = proxy.holdNext('aggregate', 'applied_keys');
    const repeat = submit(FORMER, 'one', 'first', slow).then((response) => response);
    const forward = await held;
    await main.db
      .collection('users')
      .updateOne({ sourceAppId: app, email: 'hidden@x.org' }, { $set: { email: FORMER } });
    const { body: refused } = await change(id, NEXT).expect(503);
    expect(refused.code).toBe('recordChanging');
    await forward();
    expect((await repeat).body.id).toBe(id);
    await expect.poll(async () => (await change(id, NEXT)).status, POLL).toBe(200);
    expect((await submit(FORMER, 'one', 'first', slow).expect(200)).body.id).toBe(id);
    expect((await stored()).filter(({ id: one }) => one !== other)).toEqual([{ id, email: NEXT, visits: 1 }]);
  });
});

describe('two writes at once', () => {
  it('give an email to one of two records', async () => {
    const [one, two] = [await create('one@example.com'), await create('two@example.com', 'second')];
    const held = proxy.holdNext('findAndModify', 'users');
    const late = change(two, NEXT, ofSlow).then((response) => response);
    const forward = await held;
    await change(one, NEXT).expect(200);
    await forward();
    const { status, body } = await late;
    expect([status, body.code, body.params]).toEqual([409, 'emailTaken', { id: one }]);
    expect((await stored()).map(({ email }) => email)).toEqual([NEXT, 'two@example.com']);
  });

  it('give an email to a submission or to a change', async () => {
    const id = await create(FORMER);
    const held = proxy.holdNext('findAndModify', 'users');
    const late = change(id, NEXT, ofSlow).then((response) => response);
    const forward = await held;
    const { body: created } = await submit(NEXT, 'one', 'new').expect(200);
    await forward();
    const { status, body } = await late;
    expect([status, body.params]).toEqual([409, { id: created.id }]);
    expect((await stored()).map(({ email }) => email)).toEqual([FORMER, NEXT]);
  });

  it('keep a submission of the former email that was stored before the change', async () => {
    const id = await create(FORMER);
    const held = proxy.holdNext('findAndModify', 'users');
    const late = change(id, NEXT, ofSlow).then((response) => response);
    const forward = await held;
    await submit(FORMER, 'two', 'second').expect(200);
    await forward();
    expect((await late).status).toBe(200);
    expect(await stored()).toEqual([{ id, email: NEXT, visits: 2 }]);
    expect((await submit(FORMER, 'two', 'second', slow).expect(200)).body.id).toBe(id);
  });

  it('do not tell that a record is gone whose email was changed during its erasure', async () => {
    const id = await create(FORMER);
    const held = proxy.holdNext('delete', 'users');
    const erasing = ofSlow.delete(`/auth/users/${id}`).then((response) => response);
    const forward = await held;
    await change(id, NEXT).expect(200);
    await forward();
    expect((await erasing).status).toBe(503);
    await ofSlow.delete(`/auth/users/${id}`).expect(200);
    expect(await stored()).toEqual([]);
  });
});

describe('kept submissions', () => {
  const kept = async () =>
    (await main.db.collection('submissions').find({ sourceAppId: app }).toArray()).map(({ email }) => email);
  beforeEach(async () => {
    await main.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
  });

  it('follow when the server stops after the change', async () => {
    const id = await create(FORMER);
    await expect.poll(kept).toEqual([FORMER]);
    const held = proxy.holdNext('update', 'submissions');
    const changing = change(id, NEXT, ofSlow).then(
      () => undefined,
      () => undefined,
    );
    await held;
    expect(await stored()).toMatchObject([{ email: NEXT }]);
    proxy.cut();
    await changing;
    await expect.poll(kept, POLL).toEqual([NEXT]);
    await expect.poll(() => main.db.collection('email_changes').countDocuments(), POLL).toBe(0);
  });

  it('keep the email of a record whose change begins when nobody would finish it', async () => {
    const id = await create(FORMER);
    await expect.poll(kept).toEqual([FORMER]);
    const held = proxy.holdNext('findAndModify', 'users');
    const changing = change(id, NEXT, ofSlow).then((response) => response);
    const forward = await held;
    expect((await changing).status).toBe(503);
    const announced = await main.db.collection('email_changes').findOne();
    await untilDatabaseTime(main, announced?.at.getTime() + READ_HOLDS_MS);
    await forward();
    expect(await stored()).toMatchObject([{ email: FORMER }]);
    expect(await kept()).toEqual([FORMER]);
  });

  it('have the last email although the statement of an earlier change comes later', async () => {
    const id = await create(FORMER);
    await expect.poll(kept).toEqual([FORMER]);
    const held = proxy.holdNext('update', 'submissions');
    const changing = change(id, NEXT, ofSlow).then((response) => response);
    const forward = await held;
    await change(id, 'last@example.com').expect(200);
    await forward();
    expect((await changing).status).toBe(200);
    await expect.poll(kept, POLL).toEqual(['last@example.com']);
    await expect.poll(() => main.db.collection('email_changes').countDocuments(), POLL).toBe(0);
    expect(await kept()).toEqual(['last@example.com']);
  });
});
