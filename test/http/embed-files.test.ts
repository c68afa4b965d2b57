import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const MAX_SCRIPT_BYTES = 6_000;

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const get = (path: string) => fetch(server.listener.url + path);

describe('the files of /embed', () => {
  it.each([
    ['js', 'text/javascript'],
    ['css', 'text/css'],
  ])('v1.%s is revalidated, and immutable under the address with its hash', async (extension, type) => {
    const fixed = await get(`/embed/v1.${extension}`);
    expect(fixed.status).toBe(200);
    expect(Object.fromEntries(fixed.headers)).toMatchObject({
      'content-type': expect.stringContaining(type),
      'cache-control': 'public, max-age=3600, stale-while-revalidate=86400',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-encoding': 'gzip',
      vary: expect.stringContaining('Accept-Encoding'),
    });
    const etag = fixed.headers.get('etag') ?? '';
    const hashed = await get(`/embed/v1-${etag.replaceAll('"', '')}.${extension}`);
    expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await hashed.text()).toBe(await fixed.text());
    await server.client.get(`/embed/v1.${extension}`).set('If-None-Match', etag).expect(304);
    await server.client
      .get(`/embed/v1.${extension}`)
      .set('Accept-Encoding', 'identity')
      .expect(200)
      .expect(({ headers }) => expect(headers['content-encoding']).toBeUndefined());
  });

  it('are loaded by a hosted form under the addresses with their hashes', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const page = await (await get(`/f/${sourceAppId}`)).text();
    const addresses = [...page.matchAll(/(?:src|href)="(\/embed\/[^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses).toHaveLength(2);
    for (const address of addresses) {
      expect(address).toMatch(/^\/embed\/v1-[\w-]{12}\.(?:js|css)$/);
      expect((await get(address)).status).toBe(200);
    }
  });

  it('load for a site of any origin, and the compressed script has at most 6 kB', async () => {
    const { text } = await server.client.get('/embed/v1.js').set('Origin', 'https://any.example').expect(200);
    expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  });

  it('are 404 under a hash of other content', () => server.client.get('/embed/v1-AAAAAAAAAAAA.js').expect(404));
});
