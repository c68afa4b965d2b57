import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

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

const visitor = (of: TestServer = server) => new Client(of.client.url);

describe('POST /auth/apps/:sourceAppId/password', () => {
  it('replaces the password and ends the sessions of the app at once, on every server', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const before = [await visitor().logIn(sourceAppId, password), await visitor(second).logIn(sourceAppId, password)];
    const { body } = await server.admin.post(`/auth/apps/${sourceAppId}/password`).expect(200);
    expect(Object.keys(body)).toEqual(['sourceAppId', 'password']);
    expect(body.sourceAppId).toBe(sourceAppId);
    expect(body.password).not.toBe(password);

    for (const client of before) await client.get('/auth/session').expect(401);
    await visitor().post('/auth/login', { sourceAppId, password }).expect(401);
    const after = await visitor(second).logIn(sourceAppId, body.password);
    await after.get('/auth/session').expect(200);
  });

  it('stores no password and logs none', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.admin.post(`/auth/apps/${sourceAppId}/password`).expect(200);
    const stored = await server.db.collection('apps').findOne({ sourceAppId });
    expect(JSON.stringify(stored)).not.toContain(body.password);
    expect(server.log()).not.toContain(body.password);
  });

  it("ends the admin's own session when it is the admin's own password", async () => {
    const { app, password } = await server.services.apps.create('second-admin', 'admin');
    const admin = await visitor().logIn(app.sourceAppId, password);
    const { body } = await admin.post('/auth/apps/second-admin/password').expect(200);
    await admin.get('/auth/apps').expect(401);
    await admin.logIn('second-admin', body.password);
    await admin.get('/auth/apps').expect(200);
    await server.admin.get('/auth/apps').expect(200);
  });

  it('is a 404 for no app', async () => {
    for (const id of ['no-such-app', '%20', 'a'.repeat(81)]) {
      const { body } = await server.admin.post(`/auth/apps/${id}/password`).expect(404);
      expect(body).toEqual({ message: 'App not found' });
    }
  });

  it('is for admins', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    await server.client.post(`/auth/apps/${sourceAppId}/password`).expect(401);
    const operator = await visitor().logIn(sourceAppId, password);
    await operator.post(`/auth/apps/${sourceAppId}/password`).expect(403);
    await operator.get('/auth/session').expect(200);
  });
});
