import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileDocument } from '../../../src/features/files/files.model.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { type S3Server, startS3 } from '../../support/peers/s3.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import { CV, pdfOf, upload } from '../../support/server/uploads.ts';

// What removes many records removes their files, from both stores (spec 4.14.3, 4.14.4).

const DAY_MS = 86_400_000;
const POLL = { timeout: 20_000 };
const NAME = { key: 'name', kind: 'text' } as const;
const PEOPLE = 4;
const newId = createOrderedIds();

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
}, 300_000);
afterAll(() => s3.close());

describe.each([
  ['the database', () => ({})],
  ['a bucket', () => ({ FILES_URL: s3.url('many') })],
])('records with files in %s', (_store, env) => {
  let server: TestServer;
  let app: string;
  /** Of people 0 to 3; the last one stays. */
  let files: FileDocument[];
  beforeAll(async () => {
    server = await startServer(env(), undefined, { ...QUICK_JOBS, retentionEveryMs: 300 });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    app = (await server.admin.buildApp({ fields: [NAME, CV] })).sourceAppId;
    for (let n = 0; n < PEOPLE; n += 1) {
      const { body } = await upload(server.client.url, app, pdfOf(300_000, n));
      const data = { name: n < PEOPLE - 1 ? 'old' : 'new', cv: [body.token] };
      await server.client.submit(app, { email: `p${n}@x.org`, data }).expect(200);
    }
    // One of them is in the history alone.
    const { _id } = (await server.db.collection('users').findOne({ email: 'p0@x.org', sourceAppId: app })) ?? {};
    await server.admin.patch(`/auth/users/${_id}?sourceAppId=${app}`, { unset: ['cv'] }).expect(200);
    const { _id: appId } = (await server.db.collection('apps').findOne({ sourceAppId: app })) ?? {};
    const found = server.db.collection<FileDocument>('files.files').find({ 'metadata.appId': appId });
    files = await found.sort({ _id: 1 }).toArray();
    expect(await left()).toEqual([0, 1, 2, 3]);
  });

  /** The people of whom a document, a chunk or an object is left. */
  async function left(): Promise<number[]> {
    const keys = (await s3.keys()).join();
    const found: number[] = [];
    for (const [n, { _id }] of files.entries()) {
      const chunks = await server.db.collection('files.chunks').countDocuments({ files_id: _id } as object);
      const documents = await server.db.collection('files.files').countDocuments({ _id } as object);
      if (chunks + documents > 0 || keys.includes(_id.toHexString(true))) found.push(n);
    }
    return found;
  }

  it('leave nothing when an erasure by a query is answered', { tags: 'long' }, async () => {
    const query = `where=data.name:eq:old&confirm=${PEOPLE - 1}&sourceAppId=${app}`;
    await server.admin.delete(`/auth/users?${query}`).expect(200);
    expect(await left()).toEqual([PEOPLE - 1]);
  });

  it('leave nothing when the retention of the app erases them', { tags: 'long' }, async () => {
    const users = server.db.collection('users');
    for (const record of await users.find({ sourceAppId: app, 'data.name': 'old' }).toArray()) {
      const old = new Date(Date.now() - 40 * DAY_MS);
      const _id = newId(old);
      await users.deleteOne({ _id: record._id });
      await users.insertOne({ ...record, _id, createdAt: old, updatedAt: old } as object);
      const named = { 'metadata.record': record._id };
      await server.db.collection('files.files').updateMany(named, { $set: { 'metadata.record': _id } });
    }
    await server.admin.put(`/auth/apps/${app}/retention`, { days: 30, basis: 'updatedAt' }).expect(200);
    await expect.poll(() => users.countDocuments({ sourceAppId: app }), POLL).toBe(1);
    await expect.poll(left, POLL).toEqual([PEOPLE - 1]);
  });
});
