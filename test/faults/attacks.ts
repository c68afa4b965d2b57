import { randomBytes } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { inspect } from './mongod.ts';
import type { Service } from './service.ts';

/** Attackers come from another address than the writers of the tests. */
const ATTACKER = '127.0.0.66';
const VICTIM = 'under-attack';
const STORED = 20_000;
const NEVER_READING = 40;
const OPEN_BODIES = 200;
/** The start of a brotli stream with a window of 16 MB; its decoder allocates the window at once. */
const BROTLI = Buffer.from('0f', 'hex');

/** Attacks that run until they are stopped. */
export interface Attacks {
  stop(): Promise<void>;
  /** How many requests each attack has sent. */
  counts: Record<string, number>;
}

/**
 * Runs the attacks of the hardening issue, items 8 to 12, against one server: bodies that never end, wide records,
 * repeats to a large record, made-up log-ins, dropped exports and clients that read nothing.
 *
 * @param uri the server's database, where the attacked app is filled directly
 */
export async function startAttacks(server: Service, uri: string): Promise<Attacks> {
  const cookie = await prepareVictim(server, uri);
  const open = new Set<Socket | ClientRequest>();
  const counts: Record<string, number> = {};
  let stopped = false;

  const keep = <Kept extends Socket | ClientRequest>(connection: Kept): Kept => {
    open.add(connection);
    connection.on('error', () => undefined).once('close', () => open.delete(connection));
    return connection;
  };

  /** Attacks at a steady rate. */
  async function every(ms: number, name: string, attack: () => void): Promise<void> {
    while (!stopped) {
      attack();
      counts[name] = (counts[name] ?? 0) + 1;
      await sleep(ms);
    }
  }

  const post = (path: string, headers: Record<string, string>, body: string) => {
    const sent = keep(request(server.url + path, { method: 'POST', localAddress: ATTACKER, headers }));
    sent.on('response', (response) => response.resume());
    sent.end(body);
  };
  const json = { 'content-type': 'application/json' };
  const get = (path: string) => keep(request(server.url + path, { localAddress: ATTACKER, headers: { cookie } }));

  const attacks = Promise.all([
    every(50, 'bodies without an end', () => {
      if (open.size > OPEN_BODIES) return;
      const socket = keep(connect({ port: portOf(server), host: '127.0.0.1', localAddress: ATTACKER }));
      const encoding = Math.random() < 0.5 ? 'br' : 'gzip';
      const start = encoding === 'br' ? BROTLI : Buffer.from('1f8b0800000000000003', 'hex');
      socket.write(
        `POST /v1/users HTTP/1.1\r\nHost: x\r\nx-app-id: ${VICTIM}\r\nContent-Type: application/json\r\nContent-Encoding: ${encoding}\r\nTransfer-Encoding: chunked\r\n\r\n${start.length.toString(16)}\r\n`,
      );
      socket.write(Buffer.concat([start, Buffer.from('\r\n')]));
    }),
    every(500, 'wide records', () => {
      const data = Object.fromEntries(Array.from({ length: 6_000 }, () => [`k${randomBytes(5).toString('hex')}`, 1]));
      post('/v1/users', { ...json, 'x-app-id': VICTIM }, JSON.stringify({ email: 'wide@example.org', data }));
    }),
    every(50, 'repeats to a large record', () =>
      post(
        '/v1/users',
        { ...json, 'x-app-id': VICTIM, 'idempotency-key': 'large' },
        JSON.stringify({ email: 'large@example.org', data: { items: [-1] } }),
      ),
    ),
    every(50, 'log-ins', () =>
      post(
        '/auth/login',
        json,
        JSON.stringify({ sourceAppId: randomBytes(6).toString('hex'), password: 'no password' }),
      ),
    ),
    every(100, 'dropped exports', () => {
      const sent = get('/auth/users/export?field=name&value=nobody');
      sent.end();
      setTimeout(() => sent.destroy(), 60);
    }),
    every(250, 'clients that read nothing', () => {
      if (open.size > OPEN_BODIES + NEVER_READING) return;
      const sent = get('/auth/users');
      sent.on('response', (response) => response.pause());
      sent.end();
    }),
  ]);

  return {
    counts,
    async stop() {
      stopped = true;
      await attacks;
      for (const connection of open) connection.destroy();
    },
  };
}

/** Creates and fills the attacked app, with one record of 15 MB; returns the cookie of its operator. */
async function prepareVictim(server: Service, uri: string): Promise<string> {
  const password = await server.createApp(VICTIM);
  const submitted = await fetch(`${server.url}/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-app-id': VICTIM, 'idempotency-key': 'large' },
    body: JSON.stringify({ email: 'large@example.org', data: { items: [-1] } }),
  });
  if (submitted.status !== 200) throw new Error(`the attacked app answered ${submitted.status}`);
  await inspect(uri, async (db) => {
    const users = db.collection<{ _id: mongo.UUID }>('users');
    const large = await users.findOneAndUpdate(
      { sourceAppId: VICTIM },
      { $set: { 'data.large': 'x'.repeat(15 * 1024 * 1024) } },
    );
    const { data: _, ...like } = large as unknown as Record<string, unknown>;
    const records = Array.from({ length: STORED }, (_, number) => ({
      ...like,
      _id: new mongo.UUID(),
      email: `stored-${number}@example.org`,
      data: { name: `Person ${number}`, about: 'y'.repeat(500) },
    }));
    await users.insertMany(records);
  });
  const answer = await fetch(`${server.url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sourceAppId: VICTIM, password }),
  });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

function portOf({ url }: Service): number {
  return Number(new URL(url).port);
}
