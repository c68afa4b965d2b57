import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describe('POST /v1/users (SPEC 4.1)', () => {
  it('creates a record and answers id, createdAt and updatedAt only', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.client
      .submit(sourceAppId, { email: ' Ada@Example.COM ', data: { name: 'Ada' } })
      .expect(200);
    expect(Object.keys(body).sort()).toEqual(['createdAt', 'id', 'updatedAt']);
    const stored = await server.db.collection('users').find({ sourceAppId }).toArray();
    expect(stored).toHaveLength(1);
    expect(stored[0]).toMatchObject({ email: 'ada@example.com', data: { name: 'Ada' }, schemaVersion: 1 });
  });
});
