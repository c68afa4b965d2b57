import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseUri } from '../support/server/process.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const cli = async (args: string[], input?: string): Promise<void> => {
  const { code, stderr } = await runTool(args, { MONGODB_URI: databaseUri(server.database) }, input);
  expect(code, stderr).toBe(0);
};

it('what the command line does is in the audit log (spec 4.9)', { tags: 'long' }, async () => {
  await cli(['app', 'create', 'shop']);
  await cli(['app', 'rotate-password', 'shop']);
  await cli(['schema', 'put', 'shop'], '{"rejectUnknown":false,"fields":[]}');
  await cli(['users', 'export', 'shop', '--format', 'ndjson']);
  await cli(['app', 'list']);
  await cli(['app', 'delete', 'shop', '--yes']);
  const { body } = await server.admin.get('/auth/audit?sourceAppId=shop').expect(200);
  const events = body.events.map(({ action, target, detail }: Record<string, unknown>) => [action, target, detail]);
  expect(events).toEqual([
    ['app.deleted', 'shop', { deletedUsers: 0 }],
    ['users.exported', null, { format: 'ndjson' }],
    ['schema.replaced', 'shop', { version: 2, changes: expect.any(Array) }],
    ['password.replaced', 'shop', {}],
    ['app.created', 'shop', {}],
  ]);
  for (const { actor } of body.events)
    expect(actor).toEqual({ kind: 'command line', id: null, address: null, method: null });
});
