import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstIdAt } from '../../src/platform/database/ordered-ids.ts';
import { joinApp, tokenOf } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let server: TestServer;
let second: TestServer;
beforeAll(async () => {
  server = await startServer();
  second = await startServer({}, server.database);
});
afterAll(async () => {
  await second.close();
  await server.close();
});

const dayOf = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);

async function appWithOperator(name?: string) {
  const app = await server.admin.buildApp();
  if (name) {
    const settings = await server.admin.get(`/auth/apps/${app.sourceAppId}/form`).expect(200);
    await server.admin.put(`/auth/apps/${app.sourceAppId}/form`, { ...settings.body, name }).expect(200);
  }
  const stored = await server.db.collection('apps').findOne({ sourceAppId: app.sourceAppId });
  return {
    ...app,
    id: stored?._id,
    operator: await new Client(server.client.url).logIn(app.sourceAppId, app.password),
  };
}

interface Answer {
  apps: Record<string, unknown>[];
  complete?: false;
  next?: string;
}

const overview = async (client: Client, query = ''): Promise<Answer> =>
  (await client.get(`/auth/overview${query}`).expect(200)).body as Answer;

describe('GET /auth/overview (spec 4.3.8)', () => {
  it('tells what happens in the app of an operator', async () => {
    const { sourceAppId, id, operator } = await appWithOperator('Club');
    const { client } = server;
    for (const n of [1, 2]) await client.submit(sourceAppId, { email: `${n}@example.com` }).expect(200);
    // A submission of a known email, and one that bot protection holds.
    await client.submit(sourceAppId, { email: '1@example.com' }).expect(200);
    const held = await fetch(`${client.url}/v1/forms/${sourceAppId}`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'bot@example.com', _gotcha: 'x' }),
      redirect: 'manual',
    });
    expect(held.status).toBe(200);
    const webhook = { appId: id, sourceAppId, url: 'https://example.com/', events: [], format: 'json', secrets: [] };
    const now = new Date();
    await server.db.collection<{ _id: unknown }>('webhooks').insertMany([
      { _id: firstIdAt(now), ...webhook, createdAt: now, failingSince: now },
      { _id: firstIdAt(new Date(1)), ...webhook, createdAt: now, disabled: { reason: 'gone', at: now } },
      { _id: firstIdAt(new Date(2)), ...webhook, createdAt: now, disabled: { reason: 'operator', at: now } },
    ] as never);
    const { apps, ...rest } = await overview(operator, '?days=3');
    expect(rest).toEqual({});
    expect(apps).toEqual([
      {
        sourceAppId,
        name: 'Club',
        users: 2,
        submissions: [
          { day: dayOf(2), count: 0 },
          { day: dayOf(1), count: 0 },
          { day: dayOf(0), count: 3 },
        ],
        lastAt: expect.any(String),
        held: 1,
        webhooksFailing: 2,
        filesBytes: 0,
      },
    ]);
  });

  it('adds up the submissions of two servers, and keeps 90 days', async () => {
    const { sourceAppId, operator } = await appWithOperator();
    const submissionDays = Array.from({ length: 90 }, (_, index) => ({ day: dayOf(90 - index), count: 1 }));
    await server.db.collection('apps').updateOne({ sourceAppId }, { $set: { submissionDays } });
    await Promise.all(
      [server, second].flatMap(({ client, admin }) =>
        [1, 2, 3].map(async (n) => {
          await client.submit(sourceAppId, { email: `${n}@example.com` }).expect(200);
          // Writes what the server counted.
          await overview(admin, '?limit=1');
        }),
      ),
    );
    const [app] = (await overview(operator, '?days=90')).apps;
    const days = app?.submissions as { day: string; count: number }[];
    expect(days).toHaveLength(90);
    expect(days.at(-1)).toEqual({ day: dayOf(0), count: 6 });
    expect(days.slice(0, -1).every(({ count }) => count === 1)).toBe(true);
    const stored = await server.db.collection('apps').findOne({ sourceAppId });
    expect(stored?.submissionDays).toHaveLength(90);
  });

  it('shows an admin the apps page by page, and each other caller those that they may open', async () => {
    const apps = [await appWithOperator(), await appWithOperator()].sort((a, b) =>
      a.sourceAppId < b.sourceAppId ? -1 : 1,
    );
    const [one, two] = apps.map(({ sourceAppId }) => sourceAppId) as [string, string];
    const idsOf = ({ apps: found }: Answer) => found.map(({ sourceAppId }) => sourceAppId);
    const all = idsOf(await overview(server.admin));
    expect(all).toEqual([...all].sort());
    expect(all).toEqual(expect.arrayContaining([one, two]));
    expect(all).not.toContain('admin');
    const paged: unknown[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: Answer = await overview(server.admin, `?limit=1${next && `&cursor=${encodeURIComponent(next)}`}`);
      paged.push(...idsOf(page));
      next = page.next;
    }
    expect(paged).toEqual(all);

    const member = await joinApp(server, one, 'viewer');
    expect(idsOf(await overview(member.client))).toEqual([one]);
    const operator = apps.find(({ sourceAppId }) => sourceAppId === one)?.operator ?? server.client;
    for (const client of [member.client, operator]) {
      await client.get(`/auth/overview?sourceAppId=${two}`).expect(403);
    }
    expect(idsOf(await overview(server.admin, `?sourceAppId=${two}`))).toEqual([two]);
    const invited = { email: member.email, role: 'viewer' };
    const { body } = await server.admin.post(`/auth/apps/${two}/invitations`, invited).expect(200);
    const accepted = { token: tokenOf(body.link), name: 'Member' };
    await member.client.post('/auth/invitations/accept', accepted).expect(200);
    expect(idsOf(await overview(member.client))).toEqual([one, two].sort());
    const key = await createKey(server, server.admin, ['users:read'], { sourceAppId: two });
    const byKey = await key.send('get', '/auth/overview').expect(200);
    expect(idsOf(byKey.body as Answer)).toEqual([two]);
  });

  it.each(['?days=0', '?days=91', '?limit=1001', '?cursor=x', '?q=other'])('refuses %s', async (query) => {
    await server.admin.get(`/auth/overview${query}`).expect(400);
  });
});
