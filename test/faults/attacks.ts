import { randomBytes } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { UUID } from 'mongodb';
import { rounds } from '../support/run/rounds.ts';
import { ATTACKED_APP } from './ledger.ts';
import { send } from './load.ts';
import { inspect } from './mongod.ts';
import type { Service } from './service.ts';

/** Source address of the attackers; the writers of the tests use another one. */
const ATTACKER = '127.0.0.66';
const STORED_RECORDS = rounds(20_000, 8_000);
const MAX_IDLE_READERS = 40;
const MAX_UNFINISHED_BODIES = 200;
/**
 * Reads of the operator of the attacked app, at the same time. In `npm run test:all` other tests
 * run beside them, so there are as many as have turns and some that wait.
 */
const MAX_READS = rounds(150, 10);
/** The attacks of `npm run test:all` have a fifth of the pace. */
const PACE = rounds(1, 5);
const READS = [
  '/auth/users?where=email:contains:x&sort=data.name',
  '/auth/users?where=email:contains:nobody&sort=updatedAt',
  '/auth/stats?days=365',
  '/auth/users/breakdown?field=createdAt',
  '/auth/users?limit=200&sort=email',
  '/auth/users/export?where=data.name:eq:nobody',
  '/auth/held?limit=200',
  '/auth/audit?limit=200',
];
const CHECK = { path: `/auth/apps/${ATTACKED_APP}/schema/check`, body: { rejectUnknown: true, fields: [] } };
/**
 * The start of a brotli stream with a window of 16 MB. A decoder allocates the window when it reads
 * this byte.
 */
const BROTLI_START = Buffer.from('0f', 'hex');
const GZIP_START = Buffer.from('1f8b0800000000000003', 'hex');
/** The submission that creates the record of 15 MB, and is then repeated. */
const LARGE = {
  headers: { 'x-app-id': ATTACKED_APP, 'idempotency-key': 'large' },
  body: { email: 'large@example.org', data: { items: [-1] } },
};

/** Attacks that run until they are stopped. */
export interface Attacks {
  stop(): Promise<void>;
  /** The number of requests sent, by name of the attack. */
  counts: Record<string, number>;
}

/**
 * Attacks one app of a server until stopped: request bodies that never end, submissions with
 * thousands of keys, repeated submissions to a record of 15 MB, log-ins with random app ids,
 * exports that the client aborts, clients that do not read the response, and a flood of every read
 * that an operator can make.
 *
 * @param uri the server's database; the records of the attacked app are inserted there directly
 * @param maxReads the reads of the flood at the same time
 */
export async function startAttacks(server: Service, uri: string, maxReads = MAX_READS): Promise<Attacks> {
  const { cookie, key } = await prepareVictim(server, uri);
  const open = new Set<Socket | ClientRequest>();
  const counts: Record<string, number> = {};
  let stopped = false;
  const readers = new Set<ClientRequest>();

  /** Keeps a connection for `stop`, and ignores its errors. */
  const keep = <Kept extends Socket | ClientRequest>(connection: Kept): Kept => {
    open.add(connection);
    connection.on('error', () => undefined).once('close', () => open.delete(connection));
    return connection;
  };

  /** Runs one attack every `ms` milliseconds. */
  async function every(ms: number, name: string, attack: () => void): Promise<void> {
    while (!stopped) {
      attack();
      counts[name] = (counts[name] ?? 0) + 1;
      await sleep(ms * PACE);
    }
  }

  const post = (path: string, body: object, headers: Record<string, string> = {}): ClientRequest => {
    const options = {
      method: 'POST',
      localAddress: ATTACKER,
      headers: { 'content-type': 'application/json', ...headers },
    };
    const req = keep(request(server.url + path, options));
    req.on('response', (response) => response.resume());
    return req.end(JSON.stringify(body));
  };
  const get = (path: string) => keep(request(server.url + path, { localAddress: ATTACKER, headers: { cookie } }));

  /** Sends reads until `maxReads` of them wait for an answer. */
  const flood = (): void => {
    for (let number = counts.reads ?? 0; readers.size < maxReads; number += 1) {
      const path = READS[number % (READS.length + 1)];
      const req =
        path === undefined ? post(CHECK.path, CHECK.body, { authorization: `Bearer ${key}` }) : get(path).end();
      counts.reads = number + 1;
      req.on('response', (response) => response.resume());
      // The other attacks count what is open.
      open.delete(req);
      readers.add(req);
      req.once('close', () => readers.delete(req));
    }
  };

  const attacks = Promise.all([
    every(20, 'floods of reads', flood),
    every(50, 'unfinished bodies', () => {
      if (open.size > MAX_UNFINISHED_BODIES) return;
      const socket = keep(connect({ port: portOf(server), host: '127.0.0.1', localAddress: ATTACKER }));
      const [encoding, start] = Math.random() < 0.5 ? ['br', BROTLI_START] : ['gzip', GZIP_START];
      socket.write(
        `POST /v1/users HTTP/1.1\r\nHost: x\r\nx-app-id: ${ATTACKED_APP}\r\nContent-Type: application/json\r\nContent-Encoding: ${encoding}\r\nTransfer-Encoding: chunked\r\n\r\n${start.length.toString(16)}\r\n`,
      );
      socket.write(Buffer.concat([start, Buffer.from('\r\n')]));
    }),
    every(500, 'wide records', () => {
      const data = Object.fromEntries(Array.from({ length: 6_000 }, () => [`k${randomBytes(5).toString('hex')}`, 1]));
      post('/v1/users', { email: 'wide@example.org', data }, { 'x-app-id': ATTACKED_APP });
    }),
    every(50, 'repeats on a large record', () => post('/v1/users', LARGE.body, LARGE.headers)),
    every(50, 'log-ins', () =>
      post('/auth/login', { sourceAppId: randomBytes(6).toString('hex'), password: 'no password' }),
    ),
    every(100, 'aborted exports', () => {
      const req = get('/auth/users/export?where=data.name:eq:nobody');
      req.end();
      setTimeout(() => req.destroy(), 60);
    }),
    every(250, 'clients that do not read', () => {
      if (open.size > MAX_UNFINISHED_BODIES + MAX_IDLE_READERS) return;
      const req = get('/auth/users');
      req.on('response', (response) => response.pause());
      req.end();
    }),
  ]);

  return {
    counts,
    async stop() {
      stopped = true;
      await attacks;
      for (const connection of [...open, ...readers]) connection.destroy();
    },
  };
}

/**
 * Creates the attacked app with `STORED_RECORDS` small records and one of 15 MB. Resolves with a
 * session cookie of the app and an API key that may check schemas.
 */
async function prepareVictim(server: Service, uri: string): Promise<{ cookie: string; key: string }> {
  const admin = await server.admin();
  const password = await server.createApp(ATTACKED_APP);
  const submitted = await send(`${server.url}/v1/users`, { method: 'POST', ...LARGE });
  if (submitted.status !== 200)
    throw new Error(`the first submission to the attacked app returned ${submitted.status}`);
  await inspect(uri, async (db) => {
    const users = db.collection<{ _id: UUID }>('users');
    // In parts: a member with a small cache refuses 15 MB at once while it writes pages out.
    for (const part of ['large', 'larger', 'largest']) {
      const value = 'x'.repeat(5 * 1024 * 1024);
      await users.updateOne({ sourceAppId: ATTACKED_APP }, { $set: { [`data.${part}`]: value } });
    }
    const large = await users.findOne({ sourceAppId: ATTACKED_APP }, { projection: { data: 0 } });
    const common = large as unknown as Record<string, unknown>;
    const records = Array.from({ length: STORED_RECORDS }, (_, number) => ({
      ...common,
      _id: new UUID(),
      email: `stored-${number}@example.org`,
      data: { name: `Person ${number}`, about: 'y'.repeat(500) },
    }));
    await users.insertMany(records);
  });
  const login = await send(`${server.url}/auth/login`, {
    method: 'POST',
    body: { sourceAppId: ATTACKED_APP, password },
  });
  const { body } = await admin
    .post(`/auth/keys?sourceAppId=${ATTACKED_APP}`, { name: 'attack', scopes: ['schema:write'] })
    .expect(200);
  return { cookie: String(login.headers['set-cookie'] ?? '').split(';')[0] ?? '', key: body.key };
}

function portOf({ url }: Service): number {
  return Number(new URL(url).port);
}
