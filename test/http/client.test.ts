import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, RefusedError, UnavailableError } from '../../web/client/index.ts';
import { randomName } from '../support/database/databases.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../support/peers/faulty-proxy.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let proxy: FaultyProxy;
let app: string;
beforeAll(async () => {
  server = await sharedServer();
  proxy = await startFaultyProxy(server.client.url);
  ({ sourceAppId: app } = await server.admin.buildApp({
    fields: [
      { key: 'n', kind: 'number', required: true },
      { key: 'visits', kind: 'array' },
    ],
  }));
});
afterAll(() => proxy.close());

const stored = async (email: string) =>
  (await server.admin.get(`/auth/users?sourceAppId=${app}&where=email:eq:${encodeURIComponent(email)}`).expect(200))
    .body.users;

describe('a submission of the client', () => {
  it('is repeated with the same key after each kind of fault, and stored once', { tags: 'long' }, async () => {
    const kinds: Fault[] = ['dropped', 'lost', 'cut short', 'no JSON', 'silent', 429, 502, 503, 504];
    const repeated = kinds.map(async (fault) => {
      const { url, keys } = proxy.route(fault === 'silent' ? ['silent', 'lost'] : [fault, fault]);
      const email = `${randomName()}@example.com`;
      const { id } = await createClient({ url: `${url}/`, app, timeout: 2_000 }).submit(email, {
        n: 1,
        visits: ['one'],
      });
      expect(keys).toEqual([expect.stringMatching(/^[\w-]{16,40}$/), keys[0], keys[0]]);
      const [record] = await stored(email);
      expect(record).toMatchObject({ id, data: { n: 1 } });
      expect(record.data.visits).toHaveLength(1);
      return keys[0];
    });
    expect(new Set(await Promise.all(repeated)).size).toBe(kinds.length);
  });

  it('is stored once however faults follow each other, beside others of the same person', {
    tags: 'long',
  }, async () => {
    const kinds: Fault[] = ['dropped', 'pass', 'lost', 503, 'cut short', 'pass'];
    const { url, keys } = proxy.route(
      Array.from({ length: 24 }, (_, index) => kinds[(index * 5) % kinds.length] ?? 'pass'),
    );
    const client = createClient<{ n: number; visits: string[] }>({ url, app });
    const email = `${randomName()}@example.com`;
    await Promise.all(Array.from({ length: 12 }, (_, n) => client.submit(email, { n, visits: [`visit ${n}`] })));
    const visits = (await stored(email))[0].data.visits.map(({ value }: { value: string }) => value);
    expect(visits.toSorted()).toEqual(Array.from({ length: 12 }, (_, n) => `visit ${n}`).toSorted());
    expect(new Set(keys).size).toBe(12);
  });

  it('is repeated at the times that Retry-After asks for', { tags: 'long' }, async () => {
    const { url, keys } = proxy.route(Array<Fault>(20).fill(503), '2');
    // Without the header there would be a third attempt in this time.
    await expect(createClient({ url, app, retryFor: 3_500 }).submit('ada@example.com', { n: 1 })).rejects.toMatchObject(
      { status: 503 },
    );
    expect(keys.length).toBe(2);
  });

  it('ends with its key when the repeats take too long, and can be repeated with it', { tags: 'long' }, async () => {
    const { url, keys, faults } = proxy.route(Array<Fault>(20).fill('dropped'));
    const client = createClient({ url, app, retryFor: 1_500 });
    const email = `${randomName()}@example.com`;
    const error = await client.submit(email, { n: 1, visits: ['one'] }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ key: keys[0], status: undefined, message: 'The service does not answer' });
    expect(keys.length).toBeGreaterThan(1);
    faults.length = 0;
    const { key } = error as UnavailableError;
    await client.submit(email, { n: 1, visits: ['one'] }, { key });
    expect((await stored(email))[0].data.visits).toHaveLength(1);
  });

  it('is not repeated when Retry-After is beyond the time for repeats', async () => {
    const { url, keys } = proxy.route([429, 429], '3600');
    const submitted = createClient({ url, app }).submit('ada@example.com', { n: 1 });
    await expect(submitted).rejects.toMatchObject({ status: 429, name: 'UnavailableError', key: expect.any(String) });
    expect(keys.length).toBe(1);
  });

  it('that is refused is not repeated, and names the problems', async () => {
    const { url, keys } = proxy.route();
    const client = createClient<{ n: unknown }>({ url, app });
    const refused = await client.submit('nobody', { n: 'one' }).catch((reason: unknown) => reason);
    expect(refused).toBeInstanceOf(RefusedError);
    expect(refused).toMatchObject({ status: 400, message: expect.any(String) });
    expect((refused as RefusedError).errors).toContainEqual({
      path: 'data.n',
      message: 'must be a number',
      code: 'notNumber',
    });
    expect(keys.length).toBe(1);
    await client.submit('ada@example.com', { n: 1 }, { key: 'one' });
    await expect(client.submit('ada@example.com', { n: 2 }, { key: 'one' })).rejects.toMatchObject({
      status: 422,
      code: 'keyReused',
    });
    expect(keys.length).toBe(3);
  });

  it('needs a URL, and a key that a header may have', async () => {
    const { url, keys } = proxy.route();
    for (const url of ['forms.example.com', 'localhost:3000']) {
      expect(() => createClient({ url, app })).toThrow(TypeError);
    }
    const client = createClient({ url, app });
    await expect(client.submit('ada@example.com', { n: 1 }, { key: '√' })).rejects.toThrow(TypeError);
    expect(keys).toEqual([]);
  });
});

describe('the client', () => {
  it('reads the newest schema, repeating lost answers', { tags: 'long' }, async () => {
    const { url } = proxy.route(['lost', 503]);
    expect(await createClient({ url, app }).schema()).toMatchObject({
      version: 2,
      fields: [{ key: 'n', kind: 'number', required: true }, { key: 'visits' }],
    });
    await expect(createClient({ url, app: 'nobody' }).schema()).rejects.toMatchObject({ status: 400 });
  });

  it('submits with an API key', async () => {
    const { url } = proxy.route();
    const other = (await server.admin.buildApp()).sourceAppId;
    const { body } = await server.admin
      .post(`/auth/keys?sourceAppId=${other}`, { name: 'Shop', scopes: ['submit'] })
      .expect(200);
    await server.admin.put(`/auth/apps/${other}/form`, { botProtection: 'proof-of-work' }).expect(200);
    const submit = (apiKey?: string) => createClient({ url, app: other, apiKey }).submit('ada@example.com', {});
    await expect(submit()).rejects.toMatchObject({ status: 403 });
    await submit(body.key);
    await expect(submit(`uck_${'x'.repeat(43)}`)).rejects.toMatchObject({ status: 401 });
  });
});
