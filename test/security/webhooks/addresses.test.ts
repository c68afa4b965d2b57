import { setMaxListeners } from 'node:events';
import { UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSender } from '../../../src/features/webhooks/sender.ts';
import { NameServer } from '../../support/peers/name-server.ts';
import { RawReceiver } from '../../support/peers/raw-receiver.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const NOT_PUBLIC = 'the address is not public';

let target: RawReceiver;
let target6: RawReceiver;
beforeAll(async () => {
  target = await RawReceiver.start((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), '0.0.0.0');
  target6 = await RawReceiver.start((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), '::1');
});
afterAll(async () => {
  await target.close();
  await target6.close();
});

const connections = () => target.requests.length + target6.requests.length;

describe('a webhook', () => {
  let server: TestServer;
  let operator: Client;
  let id: string;
  beforeAll(async () => {
    server = await startServer();
    const app: TestApp = await server.admin.buildApp();
    operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    const { body } = await operator.post('/auth/webhooks', { url: 'https://example.com/', events: ['user.created'] });
    id = body.id;
  });
  afterAll(() => server.close());

  const change = (url: string) => operator.patch(`/auth/webhooks/${id}`, { url });
  const test = async () => (await operator.post(`/auth/webhooks/${id}/test`).expect(200)).body;
  const create = (url: string) => operator.post('/auth/webhooks', { url, events: ['user.created'] });

  /** Stores a URL as a server that allows private addresses does. */
  const store = (url: string) =>
    server.db.collection('webhooks').updateOne({ _id: new UUID(id) } as object, { $set: { url } });

  async function expectRefused(url: string): Promise<void> {
    for (const request of [change(url), create(url)]) {
      const { body } = await request.expect(400);
      const errors = [{ path: 'url', message: 'must not name a private address or localhost', code: 'privateAddress' }];
      expect(body).toEqual({ message: 'Invalid webhook', code: 'invalidWebhook', errors });
    }
  }

  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '0x7f000001',
    '127.0.0.1.',
    '0.0.0.0',
    '0',
    '１２７.０.０.１',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '127.0.0.1%2e',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '10.1.2.3',
    '192.168.0.1',
    '172.16.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '198.18.0.1',
    '224.0.0.1',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[fec0::1]',
    '[ff02::1]',
    '[4000::1]',
    '[2001:db8::1]',
    '255.255.255.255',
  ])('of the address %s is refused, and gets nothing', async (host) => {
    for (const { port } of [target, target6]) {
      await expectRefused(`https://${host}:${port}/`);
      await store(`https://${host}:${port}/`);
      expect(await test()).toEqual({ ok: false, ms: expect.any(Number), error: NOT_PUBLIC });
    }
    expect(connections()).toBe(0);
  });

  it.each(['localhost', 'LOCALHOST.', 'a.localhost', 'ＬocalHost。'])(
    'of the local name %s is refused, and gets nothing',
    async (host) => {
      const url = `https://${host}:${target.port}/`;
      await expectRefused(url);
      await store(url);
      expect(await test()).toEqual({ ok: false, ms: expect.any(Number), error: NOT_PUBLIC });
      expect(connections()).toBe(0);
    },
  );

  it.each(['ip6-localhost', 'localhost.example.com', 'notlocalhost', '93.184.215.14', '[2606:4700::1111]'])(
    'may have the host %s, whose addresses are checked when it is reached',
    async (host) => {
      await change(`https://${host}/`).expect(200);
      await change('https://example.com/').expect(200);
    },
  );

  it('that is at a private address already can be switched off', async () => {
    await store(`https://127.0.0.1:${target.port}/`);
    await operator.patch(`/auth/webhooks/${id}`, { enabled: false }).expect(200);
    await operator.patch(`/auth/webhooks/${id}`, { enabled: true, url: 'https://example.com/' }).expect(200);
  });

  it('may be at a private address where WEBHOOKS_ALLOW_PRIVATE is set', async () => {
    const open = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' }, server.database);
    for (const url of ['https://127.0.0.1/', 'http://localhost:9/', 'https://localhost/']) {
      const { body } = await open.admin.post('/auth/webhooks', { url, events: ['user.created'] }).expect(200);
      await open.admin.patch(`/auth/webhooks/${body.id}`, { url: 'https://10.0.0.1/' }).expect(200);
    }
    await open.close();
  });

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'https://user@example.com/',
    'https://:password@example.com/',
    'https://example.com/#x',
    'https://exa mple.com/',
    'https://[::1%25lo]/',
    'https://999.1.1.1/',
    'https:///',
    '//example.com/',
    'example.com',
    `https://example.com/${'x'.repeat(2_000)}`,
  ])('has no URL such as %s', async (url) => {
    const { body } = await change(url).expect(400);
    expect(body.errors[0].path).toBe('url');
    expect(JSON.stringify(body)).not.toContain(url);
  });

  it('gets nothing over plain HTTP after private addresses were switched off', async () => {
    await change('https://example.com/').expect(200);
    await server.db
      .collection('webhooks')
      .updateOne({ url: 'https://example.com/' }, { $set: { url: `http://127.0.0.1:${target.port}/` } });
    const error = 'the address does not begin with https://';
    expect(await test()).toEqual({ ok: false, ms: expect.any(Number), error });
    expect(connections()).toBe(0);
  });
});

describe('the name of a webhook', () => {
  const message = (port: number) => ({ url: `https://hooks.example.com:${port}/`, headers: {}, body: '{}' });

  async function withNames(
    addressesOf: (name: string) => readonly string[] | undefined,
    test: (sender: ReturnType<typeof createSender>, names: NameServer) => Promise<void>,
  ): Promise<void> {
    const names = await NameServer.start(addressesOf);
    const sender = createSender({ allowPrivate: false, nameServers: [names.address], timeoutMs: 5_000 });
    try {
      await test(sender, names);
    } finally {
      sender.close();
      await names.close();
    }
  }

  it.each([
    [['127.0.0.1']],
    [['::1']],
    [['93.184.215.14', '127.0.0.1']],
    [['127.0.0.1', '93.184.215.14']],
    [['93.184.215.14', '::1']],
    [['2606:4700::1111', '::ffff:7f00:1']],
    [['64:ff9b::7f00:1']],
  ])('reaches nothing while it has the addresses %j', (addresses) =>
    withNames(
      () => addresses,
      async (sender) => {
        for (const { port } of [target, target6]) {
          expect(await sender.send(message(port))).toMatchObject({ isSuccess: false, error: NOT_PUBLIC });
        }
        expect(connections()).toBe(0);
      },
    ),
  );

  it('is resolved once for a connection, and again for the next one', async () => {
    let isRebound = false;
    await withNames(
      () => (isRebound ? ['127.0.0.1'] : ['93.184.215.14']),
      async (sender, names) => {
        const stop = new AbortController();
        const first = sender.send(message(target.port), stop.signal);
        await expect.poll(() => names.asked).toEqual(['hooks.example.com']);
        isRebound = true;
        // Nothing of this machine answers for the public address.
        stop.abort();
        expect((await first).error).not.toBe(NOT_PUBLIC);
        expect(await sender.send(message(target.port))).toMatchObject({ error: NOT_PUBLIC });
        expect(names.asked).toEqual(['hooks.example.com', 'hooks.example.com']);
        expect(connections()).toBe(0);
      },
    );
  });

  it('without an answer of its name server ends the attempt and holds up no other name', async () => {
    await withNames(
      (name) => (name.startsWith('slow') ? undefined : ['127.0.0.1']),
      async (sender, names) => {
        const stop = new AbortController();
        setMaxListeners(50, stop.signal);
        const slow = Array.from({ length: 50 }, (_, index) =>
          sender.send({ ...message(target.port), url: `https://slow${index}.example.com/` }, stop.signal),
        );
        await expect.poll(() => new Set(names.asked).size).toBe(50);
        expect(await sender.send(message(target.port))).toMatchObject({ error: NOT_PUBLIC });
        stop.abort();
        for (const result of await Promise.all(slow)) expect(result.isSuccess).toBe(false);
      },
    );
  });

  it('that does not exist is an error without an address', () =>
    withNames(
      () => [],
      async (sender) => {
        const { error } = await sender.send(message(target.port));
        expect(error).toBe('the connection failed (ENODATA)');
      },
    ));
});
