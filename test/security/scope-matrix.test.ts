import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES, type Scope } from '../../src/core/api/principal.ts';
import { listEndpoints } from '../../src/http/endpoints.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

/** The endpoints that each scope opens to a key of an app. All others refuse its key. */
const OPENED: Record<Scope, string[]> = {
  submit: ['submitUser', 'submitForm', 'uploadFile', 'askEntryLink'],
  'users:read': [
    'listUsers',
    'getUser',
    'getStats',
    'breakDownUsers',
    'getOverview',
    'getOwnSchema',
    'listIndexes',
    'listHeld',
    'countHeld',
    'getSearchIndex',
    'listHistory',
    'listChanges',
    'getChange',
    'listSubmissions',
    'getFile',
    'linkFile',
    'testConditions',
    'listMails',
  ],
  'users:write': [
    'eraseUsers',
    'eraseUser',
    'editUser',
    'changeUserEmail',
    'addFile',
    'erasePerson',
    'releaseHeld',
    'deleteHeld',
    'revertUser',
    'changeSubmission',
    'changeUsers',
    'undoChange',
    'stopChange',
    'retryMail',
    'sendEntryLink',
  ],
  import: [
    'createImport',
    'listImports',
    'sendImportContent',
    'startImport',
    'getImport',
    'getImportOmissions',
    'getImportRejects',
    'undoImport',
    'deleteImport',
  ],
  export: ['exportUsers', 'exportSelectedUsers', 'exportPerson', 'exportSubmissions'],
  'schema:write': ['getAppSchema', 'replaceSchema', 'listSchemaVersions', 'checkSchema'],
  webhooks: [
    'listWebhooks',
    'createWebhook',
    'changeWebhook',
    'deleteWebhook',
    'testWebhook',
    'rotateWebhookSecret',
    'listDeliveries',
    'getWebhookSample',
    'getDelivery',
    'replayDelivery',
    'replayWebhook',
  ],
};

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer({ RATE_LIMIT_LOGIN: '0' });
  app = await server.admin.buildApp();
});
afterAll(() => server.close());

/** The endpoints that need more than the name of an app. */
const guarded = listEndpoints().filter(
  ({ spec: { auth, scope } }) => scope || !['none', 'app id', 'form'].includes(auth),
);

/** Resolves with whether a key gets past the checks of an endpoint. No request is complete. */
async function opened(
  key: string,
  { spec: { method, path } }: (typeof guarded)[number],
  ofApp: string,
  query = '',
): Promise<boolean> {
  const target = path.replace(':sourceAppId', ofApp).replace(/:\w+/g, 'none');
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = method === 'get' ? {} : { body: '[]' };
  const { status } = await fetch(server.listener.url + target + query, {
    method: method.toUpperCase(),
    headers,
    ...body,
  });
  expect(status).not.toBe(500);
  return status !== 401 && status !== 403;
}

it.each(SCOPES)('%s opens its endpoints only', { tags: 'long' }, async (scope) => {
  const settings = { sourceAppId: app.sourceAppId };
  const { key } = await createKey(server, server.admin, [scope], settings);
  const names: string[] = [];
  for (const endpoint of guarded) if (await opened(key, endpoint, app.sourceAppId)) names.push(endpoint.name);
  expect(names.toSorted()).toEqual(OPENED[scope].toSorted());
});

describe('no scope opens an endpoint for another app', () => {
  let other: TestApp;
  let key: string;
  beforeAll(async () => {
    other = await server.admin.buildApp();
    ({ key } = await createKey(server, server.admin, [...SCOPES], { sourceAppId: app.sourceAppId }));
  });

  it('that its path names', async () => {
    const inPath = guarded.filter(({ spec: { path } }) => path.includes(':sourceAppId'));
    for (const endpoint of inPath)
      expect([endpoint.name, await opened(key, endpoint, other.sourceAppId)]).toContain(false);
    const operator = await new Client(server.listener.url).logIn(other.sourceAppId, other.password);
    expect((await operator.get('/auth/users').expect(200)).body.users).toEqual([]);
  });

  it('that its query names, whatever the body', async () => {
    const inQuery = guarded.filter(({ spec: { scoped, query } }) => scoped && query?.shape.sourceAppId);
    const query = `?sourceAppId=${other.sourceAppId}`;
    for (const endpoint of inQuery)
      expect([endpoint.name, await opened(key, endpoint, app.sourceAppId, query)]).toContain(false);
  });
});
