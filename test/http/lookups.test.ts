import type { CommandStartedEvent } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLookups, lookup } from '../../src/platform/database/lookups.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(() => server.close());

/** The statements that the service sends while `during` runs: `find users`. */
async function statementsOf(during: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const note = ({ commandName, command }: CommandStartedEvent) => sent.push(`${commandName} ${command[commandName]}`);
  const client = server.connection.getClient();
  client.on('commandStarted', note);
  await during();
  client.off('commandStarted', note);
  return sent;
}

describe('lookups', () => {
  const collection = (name: string) => server.connection.getClient().db(server.database).collection(name);

  it('of one turn are one statement, and each gets its own answer', async () => {
    const hasAny = createLookups();
    const [none, some] = [{ role: 'nobody' }, { role: 'admin' }].map((filter) => lookup(collection('apps'), filter));
    const empty = lookup(collection('erasures'), {});
    let answers: boolean[] = [];
    const sent = await statementsOf(async () => {
      const asked = [[none, empty], [empty, some], [], [some], [none]] as Parameters<typeof hasAny>[0][];
      answers = await Promise.all(asked.map(hasAny));
    });
    expect(answers).toEqual([false, true, false, true, false]);
    expect(sent.filter((statement) => statement === 'aggregate apps')).toHaveLength(1);
    expect(await hasAny([empty])).toBe(false);
  });

  it('fail together', async () => {
    const hasAny = createLookups();
    const wrong = lookup(collection('apps'), { $nothing: 1 });
    const asked = [[wrong], [lookup(collection('erasures'), {})]].map(hasAny);
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

it('a service without work sends two statements at each look', { tags: 'long' }, async () => {
  const isIdle = async () => {
    const sent = await statementsOf(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
    const looks = sent.filter((statement) => statement === 'find jobs').length;
    const lookups = sent.filter((statement) => statement.startsWith('aggregate ')).length;
    return looks > 2 && Math.abs(looks - lookups) <= 1 && sent.length === looks + lookups;
  };
  // Jobs with longer intervals run at the start.
  await expect.poll(isIdle, { timeout: 30_000 }).toBe(true);
});

it('the deletion of an app asks whether it may go on only before it removes something', async () => {
  const app = await server.admin.buildApp({ fields: [] });
  const sent = await statementsOf(() => server.admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200));
  // For the mark and before the removals, not for each collection.
  expect(sent.filter((statement) => statement.startsWith('hello')).length).toBeLessThan(10);
  expect(sent.filter((statement) => statement === 'find users')).toHaveLength(2);
});
