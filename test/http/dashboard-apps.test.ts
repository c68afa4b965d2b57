import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

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

const newClient = (target: TestServer = server) => new Client(target.client.url);

describe('POST /auth/apps/:sourceAppId/password', () => {
  it('replaces the password and ends all sessions of the app at once on every server', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const before = [
      await newClient().logIn(sourceAppId, password),
      await newClient(second).logIn(sourceAppId, password),
    ];
    const { body } = await server.admin.post(`/auth/apps/${sourceAppId}/password`).expect(200);
    expect(Object.keys(body)).toEqual(['sourceAppId', 'password']);
    expect(body.sourceAppId).toBe(sourceAppId);
    expect(body.password).not.toBe(password);

    for (const client of before) await client.get('/auth/session').expect(401);
    await newClient().post('/auth/login', { sourceAppId, password }).expect(401);
    const after = await newClient(second).logIn(sourceAppId, body.password);
    await after.get('/auth/session').expect(200);
  });

  it('neither stores nor logs the password', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.admin.post(`/auth/apps/${sourceAppId}/password`).expect(200);
    const stored = await server.db.collection('apps').findOne({ sourceAppId });
    expect(JSON.stringify(stored)).not.toContain(body.password);
    expect(server.log()).not.toContain(body.password);
  });

  it("ends the admin's own session if it replaces the password of the own app", async () => {
    const { app, password } = await server.services.apps.create('second-admin', 'admin');
    const admin = await newClient().logIn(app.sourceAppId, password);
    const path = '/auth/apps/second-admin/password';
    const { body } = await admin.post(path, { currentPassword: password }).expect(200);
    await admin.get('/auth/apps').expect(401);
    await admin.logIn('second-admin', body.password);
    await admin.get('/auth/apps').expect(200);
    await server.admin.get('/auth/apps').expect(200);
  });

  it('accepts an empty object as the body and refuses unknown properties', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const path = `/auth/apps/${sourceAppId}/password`;
    await server.admin.post(path, {}).expect(200);
    const { body } = await server.admin.post(path, { password: 'mine' }).expect(400);
    expect(body).toEqual({
      message: 'Invalid password change',
      code: 'invalidPasswordChange',
      errors: [{ path: 'password', message: 'is not a known property', code: 'unknownProperty' }],
    });
    await server.admin.post(path, 'currentPassword=x').type('form').expect(400);
    await server.admin.post(path, { currentPassword: 12 }).expect(400);
    await server.admin.post(path, { currentPassword: '' }).expect(400);
  });

  it('responds with 404 for an unknown app', async () => {
    for (const id of ['no-such-app', '%20', 'a'.repeat(81)]) {
      const { body } = await server.admin.post(`/auth/apps/${id}/password`).expect(404);
      expect(body).toEqual({ message: 'App not found', code: 'appNotFound' });
    }
  });

  it('requires an admin session', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    await server.client.post(`/auth/apps/${sourceAppId}/password`).expect(401);
    const operator = await newClient().logIn(sourceAppId, password);
    await operator.post(`/auth/apps/${sourceAppId}/password`).expect(403);
    await operator.get('/auth/session').expect(200);
  });
});

describe("POST /auth/apps/:sourceAppId/password for the admin's own app", () => {
  const FAILURES = 3;
  const path = '/auth/apps/admin/password';
  let limited: TestServer;
  beforeAll(async () => {
    limited = await startServer({ RATE_LIMIT_LOGIN: String(FAILURES), TRUST_PROXY: '1' });
  });
  afterAll(() => limited.close());

  // Attack: taking over the account with a stolen session.
  it.each([undefined, {}])('responds with 400 without the current password: body %j', async (sent) => {
    const { body } = await limited.admin.post(path, sent).expect(400);
    expect(body).toEqual({
      message: 'Invalid password change',
      code: 'invalidPasswordChange',
      errors: [
        {
          path: 'currentPassword',
          message: "is required to change the own app's password",
          code: 'currentPasswordRequired',
        },
      ],
    });
    await newClient(limited).logIn('admin', ADMIN_PASSWORD);
  });

  it('responds with 403 to a wrong current password, and with 429 after RATE_LIMIT_LOGIN failures', {
    tags: 'long',
  }, async () => {
    const attempt = (currentPassword: string) =>
      limited.admin.post(path, { currentPassword }).set('X-Forwarded-For', '192.0.2.1');
    for (let failed = 0; failed < FAILURES; failed += 1) {
      const { body } = await attempt('wrong').expect(403);
      expect(body).toEqual({ message: 'The current password is wrong', code: 'wrongPassword' });
    }
    const { headers } = await attempt(ADMIN_PASSWORD).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    const credentials = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
    await newClient(limited).post('/auth/login', credentials).set('X-Forwarded-For', '192.0.2.1').expect(429);
    await limited.admin.get('/auth/session').expect(200);
    await newClient(limited).logIn('admin', ADMIN_PASSWORD);
  });

  it('lets one of two concurrent changes on two servers succeed', async () => {
    const { app, password } = await server.services.apps.create('third-admin', 'admin');
    const [one, two] = [
      await newClient().logIn('third-admin', password),
      await newClient(second).logIn('third-admin', password),
    ];
    const answers = await Promise.all(
      [one, two].map((admin) => admin.post('/auth/apps/third-admin/password', { currentPassword: password })),
    );
    const [changed, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    // The other change found its session ended or its current password replaced.
    for (const { status } of answers) expect([200, 401, 403]).toContain(status);
    await newClient().logIn('third-admin', changed?.body.password);
    await expect(
      server.services.apps.rotateOwnPassword(app, server.services.clock.within(60_000)),
    ).rejects.toMatchObject({ status: 401 });
  });

  it('replaces the password if the current one is correct', async () => {
    const { body } = await limited.admin.post(path, { currentPassword: ADMIN_PASSWORD }).expect(200);
    expect(Object.keys(body)).toEqual(['sourceAppId', 'password']);
    await limited.admin.get('/auth/apps').expect(401);
    await newClient(limited).logIn('admin', body.password);
  });
});
