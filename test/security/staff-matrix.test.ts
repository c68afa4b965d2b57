import type { Test } from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/core/api/principal.ts';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { joinApp } from '../support/server/accounts.ts';
import { untilChange } from '../support/server/changes.ts';
import { Client } from '../support/server/client.ts';
import { type Entries, multipart, TYPES, urlencoded } from '../support/server/forms.ts';
import { untilImport } from '../support/server/imports.ts';
import { createKey, type KeyClient } from '../support/server/keys.ts';
import { recordsOf } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

/** Who may set a field of the staff (spec 2.11): every way to write, by every kind of caller. */

const CALLERS = [
  'public',
  'viewer',
  'editor',
  'manager',
  'admin',
  'key submit',
  'key submit+users:write',
  'key submit+import',
  'key users:write',
  'key import',
] as const;
type Caller = (typeof CALLERS)[number];

type Send = KeyClient['send'];

/** The statuses in the order of {@link CALLERS}: of a field of everyone, and of the staff. */
const SUBMISSION = {
  everyone: [200, 200, 200, 200, 200, 200, 200, 200, 403, 403],
  staff: [400, 400, 400, 400, 400, 400, 200, 200, 403, 403],
};
const EDIT = [401, 403, 200, 200, 200, 403, 200, 403, 200, 403];
const IMPORT = [401, 403, 200, 200, 200, 403, 403, 200, 403, 200];
/** What was held came from the public, whoever releases it. */
const RELEASE = {
  everyone: EDIT,
  staff: EDIT.map((status) => (status === 200 ? 400 : status)),
};

let server: TestServer;
let app: string;
let senders: Record<Caller, Send>;
beforeAll(async () => {
  server = await startServer({}, undefined, { pollEveryMs: 100 });
  const built = await server.admin.buildApp({ fields: fieldsWith('everyone') });
  app = built.sourceAppId;
  const session = async (role: string) => ofClient((await joinApp(server, app, role)).client);
  const key = async (...scopes: Scope[]) => (await createKey(server, server.admin, scopes, { sourceAppId: app })).send;
  senders = {
    public: ofClient(new Client(server.client.url)),
    viewer: await session('viewer'),
    editor: await session('editor'),
    manager: await session('manager'),
    admin: ofClient(server.admin),
    'key submit': await key('submit'),
    'key submit+users:write': await key('submit', 'users:write'),
    'key submit+import': await key('submit', 'import'),
    'key users:write': await key('users:write'),
    'key import': await key('import'),
  };
});
afterAll(() => server.close());

const ofClient =
  (client: Client): Send =>
  (method, path, body) =>
    method === 'get' || method === 'delete' ? client[method](path) : client[method](path, body);

function fieldsWith(writers: 'everyone' | 'staff'): FieldDefinitionInput[] {
  return [
    { key: 'open', kind: 'text' },
    { key: 'field', kind: 'text', writers },
  ];
}

const put = (writers: 'everyone' | 'staff') => server.admin.putSchema(app, { fields: fieldsWith(writers) }).expect(200);

/** Sends `field` for an email; resolves with the status. */
type Way = (send: Send, caller: Caller, email: string, id: string) => Promise<number>;

const inApp = (path: string, rest = '') => `${path}?sourceAppId=${app}${rest}`;
const statusOf = async (test: Test): Promise<number> => (await test).status;

/** The path of the app, which the public names in a header. */
const submission = (send: Send, body: object) => statusOf(send('post', '/v1/users', body).set('x-app-id', app));
const form = (send: Send, type: string, body: string | object) =>
  statusOf(send('post', `/v1/forms/${app}`, body).set({ 'Content-Type': type, Accept: 'application/json' }));
const entriesOf = (email: string): Entries => [
  ['email', email],
  ['field', 'set'],
];

async function importFile(send: Send, format: string, content: string): Promise<number> {
  const created = await send('post', inApp('/auth/imports'), { format });
  if (created.status !== 200) return created.status;
  const path = `/auth/imports/${created.body.id}`;
  await send('put', inApp(`${path}/content`), content)
    .set('Content-Type', 'application/octet-stream')
    .expect(200);
  await send('post', inApp(`${path}/start`)).expect(200);
  const { rejected } = await untilImport(server.admin, app, created.body.id);
  return rejected === 0 ? 200 : 400;
}

const WAYS: Record<string, { way: Way; everyone: number[]; staff: number[] }> = {
  'POST /v1/users': {
    ...SUBMISSION,
    way: (send, _, email) => submission(send, { email, data: { field: 'set' } }),
  },
  'POST /v1/forms as JSON': {
    ...SUBMISSION,
    way: (send, _, email) => form(send, 'application/json', { email, data: { field: 'set' } }),
  },
  'POST /v1/forms urlencoded': {
    ...SUBMISSION,
    way: (send, _, email) => form(send, TYPES.urlencoded, urlencoded(entriesOf(email))),
  },
  'POST /v1/forms multipart': {
    ...SUBMISSION,
    way: (send, _, email) => form(send, TYPES.multipart, multipart(entriesOf(email))),
  },
  'PATCH /auth/users/:id': {
    everyone: EDIT,
    staff: EDIT,
    way: (send, _, __, id) => statusOf(send('patch', inApp(`/auth/users/${id}`), { set: { field: 'set' } })),
  },
  'PATCH /auth/users': {
    everyone: EDIT,
    staff: EDIT,
    way: async (send, _, email) => {
      const change = { set: { field: 'set' } };
      const path = inApp('/auth/users', `&where=email:eq:${encodeURIComponent(email)}&confirm=1`);
      const { status, body } = await send('patch', path, change);
      if (status === 200) await untilChange(server.admin, app, body.id);
      return status;
    },
  },
  'POST /auth/users/:id/revert': {
    everyone: EDIT,
    staff: EDIT,
    way: async (send, _, __, id) => {
      const path = inApp(`/auth/users/${id}`);
      await server.admin.patch(path, { set: { field: 'set' } }).expect(200);
      await server.admin.patch(path, { set: { field: 'other' } }).expect(200);
      return statusOf(send('post', inApp(`/auth/users/${id}/revert`), { revision: 2 }));
    },
  },
  'an import of CSV': {
    everyone: IMPORT,
    staff: IMPORT,
    way: (send, _, email) => importFile(send, 'csv', `email,field\n${email},set\n`),
  },
  'an import of NDJSON': {
    everyone: IMPORT,
    staff: IMPORT,
    way: (send, _, email) => importFile(send, 'ndjson', `{"email":"${email}","data":{"field":"set"}}\n`),
  },
  'the release of a held submission': {
    ...RELEASE,
    way: async (send, _, email) => {
      const { body } = await server.admin.get(inApp('/auth/held', '&limit=100')).expect(200);
      const entry = body.held.find((held: { email: string }) => held.email === email);
      return statusOf(send('post', inApp(`/auth/held/${entry.id}/release`)));
    },
  },
};

describe.each(Object.entries(WAYS))('%s', (name, { way, ...expected }) => {
  it.each(['everyone', 'staff'] as const)('sets a field of %s as the caller may', { tags: 'long' }, async (writers) => {
    await put('everyone');
    const ids = new Map<Caller, { email: string; id: string }>();
    for (const [at, caller] of CALLERS.entries()) {
      const email = `${name.replaceAll(/[^a-z]/gi, '')}-${writers}-${at}@example.com`.toLowerCase();
      const { body } = await server.client.submit(app, { email, data: { open: 'x' } }).expect(200);
      ids.set(caller, { email, id: body.id });
      if (!name.includes('held')) continue;
      const options = { via: 'form', isTrapped: true } as const;
      await server.services.submissions.submit(app, { email, data: { field: 'set' } }, options);
    }
    await put(writers);
    const statuses: number[] = [];
    for (const caller of CALLERS) {
      const { email, id } = ids.get(caller) as { email: string; id: string };
      statuses.push(await way(senders[caller], caller, email, id));
    }
    expect(Object.fromEntries(CALLERS.map((caller, at) => [caller, statuses[at]]))).toEqual(
      Object.fromEntries(CALLERS.map((caller, at) => [caller, expected[writers][at]])),
    );
    // What was accepted is stored, and nothing else.
    const emails = [...ids.values()].map(({ email }) => email);
    const records = (await recordsOf(server, app)).filter(({ email }) => emails.includes(email));
    const isSet = emails.map((email) => records.find((one) => one.email === email)?.data.field === 'set');
    expect(isSet).toEqual(statuses.map((status) => status === 200));
  });
});
