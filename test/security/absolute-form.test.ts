import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { sharedServer } from '../support/server/server.ts';

it('a request that names the whole URL is logged as any other, without tokens', { tags: 'long' }, async () => {
  const server = await sharedServer();
  const { sourceAppId } = await server.admin.buildApp();
  const before = server.log().length;
  for (const origin of ['http://host.example', 'HTTP://user:secret@[::1]:80', '']) {
    const socket = connect(Number(new URL(server.listener.url).port), '127.0.0.1');
    const path = `/f/${sourceAppId}/confirm/SECRET-TOKEN?query=secret`;
    socket.write(`GET ${origin}${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toContain(' 404 ');
  }
  await server.client.get('/health').expect(200);
  const log = server.log().slice(before);
  const paths = log.split('\n').flatMap((line) => (line.includes('/f/') ? [JSON.parse(line).path] : []));
  expect(paths).toEqual(Array.from({ length: 3 }, () => `/f/${sourceAppId}/confirm/:token`));
  expect(log).not.toMatch(/secret/i);
});
