import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstIdAt } from '../../src/platform/database/ordered-ids.ts';
import { Client } from '../support/server/client.ts';
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

/** Returns midnight (UTC) of today or of a number of days ago. */
function midnight(daysAgo = 0): Date {
  return new Date((Math.floor(Date.now() / DAY_MS) - daysAgo) * DAY_MS);
}

async function appWithOperator() {
  const app = await server.admin.buildApp();
  return { ...app, operator: await new Client(server.client.url).logIn(app.sourceAppId, app.password) };
}

/** Stores a record with the given creation time. */
async function storeRecord(sourceAppId: string, createdAt: Date) {
  const app = await server.db.collection('apps').findOne({ sourceAppId });
  const record = {
    _id: firstIdAt(createdAt),
    appId: app?._id,
    sourceAppId,
    email: `${createdAt.getTime()}@example.com`,
    data: {},
    schemaVersion: 1,
    createdAt,
    updatedAt: createdAt,
  };
  await server.db.collection<typeof record>('users').insertOne(record);
}

describe('GET /auth/stats', () => {
  it('counts records by UTC day of creation, oldest first, for every day of the range', async () => {
    const { sourceAppId, operator } = await appWithOperator();
    const times = [
      midnight(),
      midnight(1),
      new Date(midnight().getTime() - 1),
      midnight(3),
      new Date(midnight(3).getTime() - 1),
    ];
    for (const time of times) await storeRecord(sourceAppId, time);
    const { body } = await operator.get('/auth/stats?days=4').expect(200);
    expect(body.users).toBe(5);
    expect(body.days).toEqual(
      [1, 0, 2, 1].map((created, index) => ({
        date: midnight(3 - index)
          .toISOString()
          .slice(0, 10),
        created,
      })),
    );
  });

  it('counts each day of a year once', { tags: 'long' }, async () => {
    const { sourceAppId, operator } = await appWithOperator();
    for (let day = 0; day < 365; day += 1) {
      // The ids of the records of other tests have the times of their midnights.
      const from = midnight(day).getTime();
      await storeRecord(sourceAppId, new Date(from + 1));
      if (day % 2 === 0) await storeRecord(sourceAppId, new Date(from + DAY_MS - 2));
    }
    await storeRecord(sourceAppId, new Date(midnight(364).getTime() - 2));
    const { body } = await operator.get('/auth/stats?days=365').expect(200);
    expect(body.days.map(({ created }: { created: number }) => created)).toEqual(
      Array.from({ length: 365 }, (_, index) => ((364 - index) % 2 === 0 ? 2 : 1)),
    );
  });

  it('counts the days of a time zone, also those on which the clocks change', { tags: 'long' }, async () => {
    const { sourceAppId, operator } = await appWithOperator();
    const app = await server.db.collection('apps').findOne({ sourceAppId });
    const HALF_HOUR_MS = 30 * 60_000;
    // The ids of the records of other tests have other times.
    const end = Math.floor(Date.now() / HALF_HOUR_MS) * HALF_HOUR_MS;
    const times = Array.from({ length: 366 * 48 }, (_, index) => new Date(end - index * HALF_HOUR_MS - 3));
    await server.db.collection<{ _id: ReturnType<typeof firstIdAt> }>('users').insertMany(
      times.map((createdAt, index) => ({
        _id: firstIdAt(createdAt),
        appId: app?._id,
        sourceAppId,
        email: `${index}@example.com`,
        data: {},
        schemaVersion: 1,
        createdAt,
        updatedAt: createdAt,
      })),
    );
    for (const timeZone of ['Europe/Berlin', 'America/St_Johns', 'Africa/Cairo', 'Asia/Kolkata']) {
      const day = new Intl.DateTimeFormat('sv-SE', { timeZone });
      const expected = new Map<string, number>();
      for (const time of times) expected.set(day.format(time), (expected.get(day.format(time)) ?? 0) + 1);
      const { body } = await operator.get(`/auth/stats?days=360&timeZone=${timeZone}`).expect(200);
      expect(body.timeZone).toBe(new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone);
      const dates = body.days.map(({ date }: { date: string }) => date);
      expect(new Set(dates).size).toBe(360);
      expect(body.days).toEqual(dates.map((date: string) => ({ date, created: expected.get(date) ?? 0 })));
      // Today is not over, also when it began during the test.
      const lengths = new Set(body.days.slice(0, -2).map(({ created }: { created: number }) => created));
      expect(lengths).toEqual(new Set(timeZone === 'Asia/Kolkata' ? [48] : [48, 46, 50]));
    }
  });

  it('counts days in UTC by default, and says so', async () => {
    const { operator } = await appWithOperator();
    expect((await operator.get('/auth/stats').expect(200)).body.timeZone).toBe('UTC');
    for (const zone of ['Mars/Olympus', '', '%2B01:00', 'Europe/Berlin&timeZone=UTC']) {
      const { body } = await operator.get(`/auth/stats?timeZone=${zone}`).expect(400);
      expect(body.errors).toEqual([expect.objectContaining({ path: 'timeZone' })]);
    }
  });

  it('is for admins also that of any app', async () => {
    const { sourceAppId, operator } = await appWithOperator();
    await server.client.submit(sourceAppId, { email: 'ada@example.com' }).expect(200);
    const { body } = await server.admin.get(`/auth/stats?sourceAppId=${sourceAppId}`).expect(200);
    expect(body).toEqual((await operator.get('/auth/stats').expect(200)).body);
    expect(body.users).toBe(1);
    await operator.get('/auth/stats?sourceAppId=admin').expect(403);
    const named = await server.admin.get(`/auth/admin/stats?sourceAppId=none&sourceAppId=${sourceAppId}`).expect(200);
    expect(named.body).toEqual({ apps: [{ sourceAppId, users: 1, lastSubmissionAt: body.lastSubmissionAt }] });
  });

  it('covers 30 days by default, or 1 to 365', async () => {
    const { operator } = await appWithOperator();
    const { body } = await operator.get('/auth/stats').expect(200);
    expect(body).toMatchObject({ users: 0, lastSubmissionAt: null });
    expect(body.days).toHaveLength(30);
    expect((await operator.get('/auth/stats?days=1').expect(200)).body.days).toHaveLength(1);
    const { body: year } = await operator.get('/auth/stats?days=365').expect(200);
    expect(year.days).toHaveLength(365);
    expect(year.days[0].date).toBe(midnight(364).toISOString().slice(0, 10));
    expect(new Set(year.days.map(({ date }: { date: string }) => date)).size).toBe(365);
  });

  it.each(['days=0', 'days=366', 'days=x', 'days=1&days=2', 'day=1'])('refuses %s', async (query) => {
    const { operator } = await appWithOperator();
    await operator.get(`/auth/stats?${query}`).expect(400);
  });

  it('returns the last submission, including updates, at once on the server that accepted it', async () => {
    const { sourceAppId, operator } = await appWithOperator();
    const submit = async () => (await server.client.submit(sourceAppId, { email: 'ada@example.com' }).expect(200)).body;
    await submit();
    const { updatedAt } = await submit();
    const { body } = await operator.get('/auth/stats').expect(200);
    expect(body).toMatchObject({ users: 1, lastSubmissionAt: updatedAt });
  });

  it('never returns an earlier last submission when another server writes later', async () => {
    const { sourceAppId, operator } = await appWithOperator();
    await server.client.submit(sourceAppId, { email: 'ada@example.com' }).expect(200);
    const { body: later } = await second.client.submit(sourceAppId, { email: 'bob@example.com' }).expect(200);
    await second.admin.get('/auth/admin/stats').expect(200);
    const { body } = await operator.get('/auth/stats').expect(200);
    expect(body).toMatchObject({ users: 2, lastSubmissionAt: later.updatedAt });
  });

  it('ignores a refused submission', async () => {
    const { sourceAppId, operator } = await appWithOperator();
    await server.client.submit(sourceAppId, { email: 'nobody' }).expect(400);
    expect((await operator.get('/auth/stats').expect(200)).body.lastSubmissionAt).toBeNull();
  });

  it('requires a session', async () => {
    await server.client.get('/auth/stats').expect(401);
  });
});

describe('GET /auth/admin/stats', () => {
  it('returns every app, sorted by id, with its number of users and its last submission', async () => {
    const [busy, idle] = [await server.admin.buildApp(), await server.admin.buildApp()];
    await server.client.submit(busy.sourceAppId, { email: 'ada@example.com' }).expect(200);
    const { body: last } = await server.client.submit(busy.sourceAppId, { email: 'bob@example.com' }).expect(200);
    const { body } = await server.admin.get('/auth/admin/stats').expect(200);
    const apps = body.apps as { sourceAppId: string }[];
    expect(apps).toContainEqual({ sourceAppId: busy.sourceAppId, users: 2, lastSubmissionAt: last.updatedAt });
    expect(apps).toContainEqual({ sourceAppId: idle.sourceAppId, users: 0, lastSubmissionAt: null });
    expect(apps).toContainEqual({ sourceAppId: 'admin', users: 0, lastSubmissionAt: null });
    const { body: listing } = await server.admin.get('/auth/apps').expect(200);
    const ids = (listing.apps as { sourceAppId: string }[]).map(({ sourceAppId }) => sourceAppId);
    expect(apps.map(({ sourceAppId }) => sourceAppId)).toEqual(ids);
    expect(Object.keys(listing.apps[0])).toEqual(['sourceAppId', 'role', 'createdAt']);
  });

  it('does not re-create a deleted app', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'ada@example.com' }).expect(200);
    await server.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    const { body } = await server.admin.get('/auth/admin/stats').expect(200);
    expect(JSON.stringify(body)).not.toContain(`"${sourceAppId}"`);
    expect(await server.db.collection('apps').countDocuments({ sourceAppId })).toBe(0);
  });

  it('requires an admin session', async () => {
    await server.client.get('/auth/admin/stats').expect(401);
    const { operator } = await appWithOperator();
    await operator.get('/auth/admin/stats').expect(403);
  });
});
