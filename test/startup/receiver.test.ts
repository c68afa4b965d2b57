import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecret } from '../../src/features/webhooks/sender.ts';
import { RECEIVER_FOLDER, receiveFrom } from '../support/peers/receiver-process.ts';
import { Client } from '../support/server/client.ts';
import { Leftovers } from '../support/server/process.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const section = /^## Webhooks\n[\s\S]*?(?=^## )/m.exec(readFileSync(join(docs, 'operations.md'), 'utf8'))?.[0] ?? '';
const [, program = ''] = /\]\((\S+\.mjs)\)/.exec(section) ?? [];
const [, start = ''] = /```sh\n(?:\w+=\S+ )(.*)\n```/.exec(section) ?? [];

const leftovers = new Leftovers();
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' });
});
afterAll(async () => {
  await leftovers.clear();
  await server.close();
});

describe('the receiver of docs/operations.md', () => {
  it('prints what the service sends, and refuses what others send', { tags: 'long' }, async () => {
    const folder = await leftovers.folder();
    const [runtime, file = ''] = start.split(' ');
    expect(runtime).toBe('node');
    await copyFile(join(docs, program), join(folder, file));
    const app = await server.admin.buildApp();
    const operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    const submit = (email: string) => server.client.submit(app.sourceAppId, { email, data: {} }).expect(200);
    const command = [process.execPath, join(folder, file)];
    const { receiver } = await receiveFrom({ app, operator, submit, leftovers }, command);
    expect(await receiver.post()).toBe(204);
    expect(await receiver.post({ secret: createSecret() })).toBe(401);
    await expect.poll(() => receiver.events.length).toBe(2);
  });

  it('is the one that the dashboard shows', () => {
    expect(join(docs, program)).toBe(join(RECEIVER_FOLDER, 'receiver.mjs'));
  });
});
