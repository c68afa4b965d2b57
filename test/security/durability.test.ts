import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connectDatabase } from '../../src/platform/database/client.ts';
import { type CommandTap, startCommandTap } from '../support/database/command-tap.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

/** The commands of MongoDB that write and take a write concern. */
const WRITES = ['insert', 'update', 'delete', 'findAndModify', 'createIndexes', 'commitTransaction'];
const DURABLE = { w: 'majority', j: true };

const ACTIVITY = JSON.stringify(['lastSubmissionAt', 'submissionDays']);

/** When an app got submissions, and how many: shown to people, without a promise (activity.ts). */
function isActivity(command: Document): boolean {
  const members = ({ u }: Document) => JSON.stringify(Object.keys(u[0]?.$set ?? {}));
  return command.update === 'apps' && command.updates.every((one: Document) => members(one) === ACTIVITY);
}

/** Counts of failed log-ins and the like, for some minutes (shared-limits.ts). */
const isLimit = (command: Document): boolean => command.findAndModify === 'limits' || command.update === 'limits';

let tap: CommandTap;
let server: TestServer;
let tappedUri: string;

beforeAll(async () => {
  const uri = new URL(inject('mongodbUri'));
  tap = await startCommandTap(new URL(uri));
  uri.port = String(tap.port);
  tappedUri = uri.href;
  server = await startServer({ MONGODB_URI: tappedUri });
});
afterAll(async () => {
  await server.close();
  await tap.close();
});

describe('acknowledged writes are durable (invariant 1)', () => {
  it('sends every write command with w: majority and j: true', { tags: 'long' }, async () => {
    const { admin, client } = server;
    const app = await admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    const submit = (email: string) => client.submit(app.sourceAppId, { email, data: { list: [1] } });
    await submit('first@example.com').expect(200);
    await submit('first@example.com').set('Idempotency-Key', 'one').expect(200);
    await Promise.all(Array.from({ length: 20 }, (_, index) => submit(`person-${index}@example.com`).expect(200)));
    const { body } = await admin.get(`/auth/admin/users?sourceAppId=${app.sourceAppId}&limit=1`).expect(200);
    const operator = await new Client(admin.url).logIn(app.sourceAppId, app.password);
    await operator.delete(`/auth/users/${body.users[0].id}`).expect(200);
    await admin.post(`/auth/apps/${app.sourceAppId}/password`).expect(200);
    await admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200);
    await admin.post('/auth/logout').expect(200);

    // It is written a second later.
    await expect.poll(() => tap.commands().some(isActivity)).toBe(true);

    const writes = tap.commands().filter((command) => WRITES.includes(Object.keys(command)[0] ?? ''));
    const seen = new Set(writes.map((command) => Object.keys(command)[0]));
    expect([...seen]).toEqual(expect.arrayContaining(['insert', 'update', 'delete', 'createIndexes']));
    // In a transaction only the commit has a write concern.
    const weak = writes
      .filter((command) => !isActivity(command) && !isLimit(command))
      .filter((command) => command.autocommit !== false || 'commitTransaction' in command)
      .filter(({ writeConcern }) => JSON.stringify(writeConcern) !== JSON.stringify(DURABLE));
    expect(weak.map((command) => JSON.stringify(command).slice(0, 200))).toEqual([]);
    // Proves that the tap recorded the writes.
    expect(writes.length).toBeGreaterThan(10);
  });

  it.each(['journal=false', 'j=false', 'wtimeoutMS=1', 'readConcernLevel=local', 'readPreferenceTags=a:b'])(
    'refuses a connection whose effective options are weaker because of %s',
    async (option) => {
      await expect(connectDatabase(`${tappedUri}&${option}`)).rejects.toThrow(
        'the connection options are weaker than write concern majority with journal',
      );
    },
  );
});
