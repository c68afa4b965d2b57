import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import { BY_NETWORK, BY_SIZE, type FileChunk, type FileDocument } from '../../../src/features/files/files.model.ts';
import { filePart, multipartOf, TYPES } from '../../support/server/forms.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';
import { CV, PNG, pdf, pdfOf, upload, uploadPart } from '../../support/server/uploads.ts';

let server: TestServer;
/** Of the same database. */
let other: TestServer;
beforeAll(async () => {
  server = await startServer({ TRUST_PROXY: '1' });
  other = await startServer({ TRUST_PROXY: '1' }, server.db.databaseName);
});
afterAll(async () => {
  await other.close();
  await server.close();
});

const appWith = async (...fields: FieldDefinitionInput[]): Promise<string> =>
  (await server.admin.buildApp({ fields: fields.length > 0 ? fields : [CV] })).sourceAppId;
const files = () => server.db.collection<FileDocument>('files.files');
const chunks = () => server.db.collection<FileChunk>('files.chunks');
const fileOf = async (token: string): Promise<FileDocument> => {
  const hash = createHash('sha256').update(token).digest('hex');
  const all = await files().find({}).toArray();
  const found = all.find(
    ({ metadata }) => metadata.token && Buffer.from(metadata.token.buffer).toString('hex') === hash,
  );
  if (!found) throw new Error('no file has the token');
  return found;
};
const contentOf = async ({ _id }: FileDocument): Promise<Buffer> => {
  const found = await chunks().find({ files_id: _id }).sort({ n: 1 }).toArray();
  return Buffer.concat(found.map(({ data }) => Buffer.from(data.buffer)));
};
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const codes = ({ body }: { body: { code: string; errors?: { path: string; code: string }[] } }) => ({
  code: body.code,
  errors: body.errors?.map(({ path, code }) => [path, code]),
});

describe('a file in one body', () => {
  it('is stored in the layout of GridFS, and answered with its token, hash and end', async () => {
    const app = await appWith();
    const file = pdfOf(600_000);
    const before = Date.now();
    const { status, body, headers } = await upload(server.client.url, app, file, { name: 'My CV.PDF' });
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(body).toMatchObject({ name: 'My CV.PDF', type: 'pdf', size: 600_000, sha256: sha256(file) });
    expect(body.token).toMatch(/^[\w-]{43}$/);
    expect(Date.parse(body.expiresAt) - before).toBeGreaterThan(3_590_000);
    expect(Date.parse(body.expiresAt) - before).toBeLessThan(3_700_000);
    const stored = await fileOf(body.token);
    expect(stored).toMatchObject({ length: 600_000, chunkSize: 255 * 1024, filename: 'My CV.PDF' });
    expect(stored.metadata).toMatchObject({ field: 'cv', state: 'whole', type: 'pdf', charged: 600_000 });
    expect(stored.metadata.writer).toBeUndefined();
    expect((await contentOf(stored)).equals(file)).toBe(true);
    expect(JSON.stringify(stored)).not.toContain(body.token);
  });

  it('may be of the encoding identity in any case', async () => {
    const app = await appWith();
    const { status } = await upload(server.client.url, app, pdf(), { headers: { 'content-encoding': 'Identity' } });
    expect(status).toBe(201);
  });

  it.each(['lang', '_lang'])('is refused in the language that the parameter %s names', async (parameter) => {
    const app = await appWith();
    await server.admin.put(`/auth/apps/${app}/form`, { languages: ['de'] }).expect(200);
    const path = `${server.client.url}/v1/forms/${app}/files?field=cv&name=cv.exe&${parameter}=de`;
    const refused = await fetch(path, { method: 'POST', body: new Uint8Array(pdf()) });
    expect([refused.status, refused.headers.get('content-language')]).toEqual([400, 'de']);
    expect(await refused.json()).toMatchObject({ code: 'fileType' });
  });

  it('is of any Content-Type, with its name in Content-Disposition', async () => {
    const app = await appWith();
    const query = `${server.client.url}/v1/forms/${app}/files?field=cv`;
    const send = async (disposition: string) => {
      const headers = { 'content-type': 'text/html', 'content-disposition': disposition };
      return (await fetch(query, { method: 'POST', headers, body: new Uint8Array(pdf()) })).json();
    };
    expect(await send('attachment; filename="a b.pdf"')).toMatchObject({ name: 'a b.pdf', type: 'pdf' });
    expect(await send("attachment; filename*=UTF-8''Lebenslauf%20%C3%BC.pdf")).toMatchObject({
      name: 'Lebenslauf ü.pdf',
    });
    expect(await send('attachment')).toMatchObject({ code: 'fileName' });
    expect(await send('attachment; filename="')).toMatchObject({ code: 'fileName' });
  });

  it('is taken from a client that does not say its length', async () => {
    const app = await appWith();
    const stream = new Blob([new Uint8Array(pdf())]).stream();
    expect(await upload(server.client.url, app, stream)).toMatchObject({ status: 201, body: { size: pdf().length } });
  });

  it('is refused without a name, with another type, or as a type of another field', async () => {
    const app = await appWith(CV, { key: 'text', kind: 'file', types: ['txt'] });
    const send = async (body: Buffer | string, name: string, field = 'cv') => {
      const answer = await upload(server.client.url, app, body, { name, field });
      return [answer.status, codes(answer)];
    };
    const refused = (code: string, field = 'cv') => [400, { code, errors: [[`data.${field}`, code]] }];
    expect(await send(pdf(), '')).toEqual(refused('fileName'));
    expect(await send(pdf(), '../..')).toEqual(refused('fileName'));
    expect(await send(pdf(), 'cv')).toEqual(refused('fileType'));
    expect(await send(pdf(), 'cv.exe')).toEqual(refused('fileType'));
    expect(await send(pdf(), 'cv.txt')).toEqual(refused('fileType'));
    expect(await send(pdf(), 'cv.png')).toEqual(refused('fileType'));
    expect(await send('<html><script>', 'cv.pdf')).toEqual(refused('fileType'));
    // It is a text, but has none.
    expect(await send('', 'a.txt', 'text')).toEqual(refused('fileEmpty', 'text'));
    expect(await send('', 'cv.pdf')).toEqual(refused('fileEmpty'));
    expect(await send(PNG, 'a.png', 'text')).toEqual(refused('fileType', 'text'));
    // Nothing of them stays to be found.
    const left = await files()
      .find({ 'metadata.field': { $in: ['cv', 'text'] }, filename: /^(?:cv|a)\./ })
      .toArray();
    const kept = left.filter(({ metadata }) => metadata.state !== 'removing' && metadata.sha256 === undefined);
    expect(kept).toEqual([]);
  });

  it('is refused for a field that the public does not have, a form that is closed, and an app without one', async () => {
    const staff: FieldDefinitionInput = { key: 'scan', kind: 'file', types: ['pdf'], writers: 'staff' };
    const app = await appWith(CV, staff, { key: 'name', kind: 'text' });
    for (const field of ['scan', 'name', 'none']) {
      expect(await upload(server.client.url, app, pdf(), { field })).toMatchObject({ status: 404 });
    }
    expect(await upload(server.client.url, 'no-such-app', pdf())).toMatchObject({ status: 404 });
    const closesAt = new Date(Date.now() - 1_000).toISOString();
    await server.admin.put(`/auth/apps/${app}/form`, { closesAt }).expect(200);
    expect(await upload(server.client.url, app, pdf())).toMatchObject({ status: 403, body: { code: 'closed' } });
  });

  it('is made safe in its name, not refused', async () => {
    const app = await appWith();
    const { body } = await upload(server.client.url, app, pdf(), { name: 'C:\\me\\..\u202ecv\u0000.pdf' });
    expect(body.name).toBe('cv.pdf');
  });
});

describe('a file that is too large', () => {
  it('is refused with 413 before it was read, by its length, and while it is read', async () => {
    const app = await appWith({ ...CV, maxBytes: 300_000 } as FieldDefinitionInput);
    const byLength = await upload(server.client.url, app, pdfOf(300_001));
    expect(byLength).toMatchObject({ status: 413, body: { code: 'fileTooLarge', params: { max: 0.3 } } });
    let sent = 0;
    const stream = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(sent === 1 ? pdfOf(50_000) : Buffer.alloc(50_000)));
        if (sent === 4_000) controller.close();
      },
    });
    const whileRead = await upload(server.client.url, app, stream).catch((error) => error);
    // A client that sends on may lose the answer.
    if (!(whileRead instanceof Error)) expect(whileRead).toMatchObject({ status: 413 });
    expect(sent).toBeLessThan(1_000);
    expect(await upload(server.client.url, app, pdfOf(300_000))).toMatchObject({ status: 201 });
  });
});

describe('a file in parts', () => {
  const SIZE = 700_000;
  const file = pdfOf(SIZE, 9);

  it('goes on with its token, on another server too, at any byte', async () => {
    const app = await appWith();
    const one = await uploadPart(server.client.url, app, file, { first: 0, end: 300_001 });
    expect(one).toMatchObject({ status: 202, body: { received: 300_001 } });
    const { token } = one.body;
    const two = await uploadPart(other.client.url, app, file, { first: 300_001, end: 300_002, token });
    expect(two).toMatchObject({ status: 202, body: { token, received: 300_002 } });
    const three = await uploadPart(server.client.url, app, file, { first: 300_002, end: SIZE, token });
    expect(three).toMatchObject({ status: 201, body: { token, size: SIZE, sha256: sha256(file) } });
    expect((await contentOf(await fileOf(token))).equals(file)).toBe(true);
  });

  it('says with 416 where it goes on, and answers a last part again', async () => {
    const app = await appWith();
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 100 });
    const { token } = body;
    for (const first of [0, 99, 101]) {
      const answer = await uploadPart(server.client.url, app, file, { first, end: SIZE, token });
      expect(answer).toMatchObject({ status: 416, body: { received: 100 } });
    }
    expect(await uploadPart(server.client.url, app, file, { first: 5, end: 9 })).toMatchObject({
      status: 416,
      body: { received: 0 },
    });
    const last = await uploadPart(server.client.url, app, file, { first: 100, end: SIZE, token });
    const again = await uploadPart(other.client.url, app, file, { first: 100, end: SIZE, token });
    expect(again).toMatchObject({ status: 201, body: last.body });
  });

  it('is finished by its repeated last part after a process ended before that', async () => {
    const app = await appWith();
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: SIZE, total: '*' });
    expect(body.received).toBe(SIZE);
    const answer = await uploadPart(server.client.url, app, file, { first: 600_000, end: SIZE, token: body.token });
    expect(answer).toMatchObject({ status: 201, body: { size: SIZE, sha256: sha256(file) } });
  });

  it('is refused with another token, field or app', async () => {
    const app = await appWith(CV, { ...CV, key: 'two' } as FieldDefinitionInput);
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 100 });
    const next = { first: 100, end: 200 };
    const refused = { status: 400, body: { code: 'fileToken' } };
    expect(await uploadPart(server.client.url, app, file, { ...next, token: 'x' })).toMatchObject(refused);
    expect(await uploadPart(server.client.url, app, file, { ...next, token: body.token, field: 'two' })).toMatchObject(
      refused,
    );
    const stranger = await appWith();
    expect(await uploadPart(server.client.url, stranger, file, { ...next, token: body.token })).toMatchObject(refused);
    await files().updateOne({ _id: (await fileOf(body.token))._id }, { $set: { 'metadata.expiresAt': new Date(0) } });
    expect(await uploadPart(server.client.url, app, file, { ...next, token: body.token })).toMatchObject(refused);
  });

  it('is refused by a range that is none, or not that of the body', async () => {
    const app = await appWith();
    const send = (range: string) => upload(server.client.url, app, pdf(), { headers: { 'content-range': range } });
    const { length } = pdf();
    for (const range of ['bytes 0-/9', 'bytes 5-4/9', `bytes 0-${length}/99`, `bytes 0-${length - 1}/1`, 'x']) {
      expect(await send(range)).toMatchObject({ status: 400, body: { code: 'invalidHeaders' } });
    }
    expect(await upload(server.client.url, app, pdf(), { token: 'x' })).toMatchObject({ status: 400 });
  });

  it('cannot become larger than the field allows, and counts what has arrived, whatever it says', async () => {
    const app = await appWith();
    const tooMuch = await uploadPart(server.client.url, app, file, { first: 0, end: 100, total: 10_000_001 });
    expect(tooMuch).toMatchObject({ status: 413 });
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 1, total: 10_000_000 });
    const { token } = body;
    const charged = async () => (await fileOf(token)).metadata.charged;
    expect(await charged()).toBe(4_096);
    await uploadPart(other.client.url, app, file, { first: 1, end: 600_000, total: 10_000_000, token });
    expect(await charged()).toBe(600_000);
    const last = await uploadPart(server.client.url, app, file, { first: 600_000, end: SIZE, token });
    expect([last.status, await charged()]).toEqual([201, SIZE]);
  });
});

describe('the limits of files', () => {
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  it('are those of the app, over all servers: 413', { tags: 'long' }, async () => {
    const small = await startServer({ FILE_LIMIT: '20000', FILES_APP_LIMIT: '20000' }, server.db.databaseName);
    try {
      const app = await appWith();
      expect(await upload(small.client.url, app, pdfOf(12_000))).toMatchObject({ status: 201 });
      expect(await upload(server.client.url, app, pdfOf(5_000))).toMatchObject({ status: 201 });
      expect(await upload(small.client.url, app, pdfOf(4_000))).toMatchObject({
        status: 413,
        body: { code: 'appFilesTooLarge' },
      });
      // What was refused does not count.
      expect(await upload(small.client.url, app, pdfOf(2_000))).toMatchObject({ status: 413 });
      expect(
        (
          await files()
            .find({ 'metadata.state': 'removing', 'metadata.charged': { $gt: 0 } })
            .toArray()
        ).length,
      ).toBe(0);
    } finally {
      await small.close();
    }
  });

  it('are 200 MB of a network in an hour, over all servers and apps: 429', async () => {
    const [one, two] = [await appWith(), await appWith()];
    const first = await upload(server.client.url, one, pdf(), from('192.0.2.7'));
    const { _id, metadata } = await fileOf(first.body.token);
    expect(metadata.network).not.toContain('192.0.2.7');
    await files().updateOne({ _id }, { $set: { 'metadata.charged': 199_999_000 } });
    const refused = await upload(other.client.url, two, pdf(), from('192.0.2.7'));
    expect(refused).toMatchObject({ status: 429, body: { code: 'tooManyFileBytes' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await upload(other.client.url, two, pdf(), from('192.0.2.8'))).toMatchObject({ status: 201 });
    // Those that a record names do not count.
    const data = { cv: [first.body.token] };
    await server.client.submit(one, { email: 'ada@example.com', data }).expect(200);
    expect(await upload(other.client.url, two, pdf(), from('192.0.2.7'))).toMatchObject({ status: 201 });
    await files().updateOne({ _id }, { $unset: { 'metadata.record': '' } });
    expect(await upload(other.client.url, two, pdf(), from('192.0.2.7'))).toMatchObject({ status: 429 });
    const hourAgo = new Date(Date.now() - 3_600_001);
    await files().updateOne({ _id }, { $set: { uploadDate: hourAgo } });
    expect(await upload(other.client.url, two, pdf(), from('192.0.2.7'))).toMatchObject({ status: 201 });
  });

  it('are not used up by promises: many first parts of one byte leave room for the file of another', {
    tags: 'long',
  }, async () => {
    const limits = { FILE_LIMIT: '100000', FILES_APP_LIMIT: '400000', TRUST_PROXY: '1' };
    const small = await startServer(limits, server.db.databaseName);
    try {
      const app = await appWith();
      const promised = pdfOf(100_000);
      for (let n = 0; n < 10; n += 1) {
        const sent = await uploadPart(small.client.url, app, promised, { first: 0, end: 1, ...from(`192.0.2.2${n}`) });
        expect(sent.status).toBe(202);
      }
      expect(await upload(small.client.url, app, promised, from('192.0.2.30'))).toMatchObject({ status: 201 });
    } finally {
      await small.close();
    }
  });

  it('are a quarter of those of the app for one network', { tags: 'long' }, async () => {
    const limits = { FILE_LIMIT: '100000', FILES_APP_LIMIT: '400000', TRUST_PROXY: '1' };
    const small = await startServer(limits, server.db.databaseName);
    try {
      const [app, second] = [await appWith(), await appWith()];
      const send = (to: string, bytes: number, address: string) =>
        upload(small.client.url, to, pdfOf(bytes), from(address));
      const first = await send(app, 60_000, '192.0.2.40');
      expect(first.status).toBe(201);
      expect(await send(app, 60_000, '192.0.2.40')).toMatchObject({ status: 429, body: { code: 'tooManyFileBytes' } });
      expect(await send(app, 60_000, '192.0.2.41')).toMatchObject({ status: 201 });
      expect(await send(second, 60_000, '192.0.2.40')).toMatchObject({ status: 201 });
      const data = { cv: [first.body.token] };
      await small.client.submit(app, { email: 'ada@example.com', data }).expect(200);
      expect(await send(app, 60_000, '192.0.2.40')).toMatchObject({ status: 201 });
    } finally {
      await small.close();
    }
  });

  it('count a file of a form while it arrives as what has arrived', async () => {
    const app = await appWith();
    const first = await upload(server.client.url, app, pdf(), from('192.0.2.9'));
    const { _id } = await fileOf(first.body.token);
    await files().updateOne({ _id }, { $set: { 'metadata.charged': 199_000_000 } });
    const body = new Uint8Array(multipartOf([filePart('cv', 'cv.pdf', pdf()), ['email', 'ada@example.com']]));
    const headers = { 'content-type': TYPES.multipart, accept: 'application/json', 'x-forwarded-for': '192.0.2.9' };
    const answer = await fetch(`${server.client.url}/v1/forms/${app}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  });

  it('are summed from the keys of indexes', async () => {
    const app = await appWith();
    const { body } = await upload(server.client.url, app, pdf(), from('192.0.2.10'));
    const { metadata } = await fileOf(body.token);
    const { appId, network } = metadata;
    const named = { $cond: [{ $gt: ['$metadata.record', null] }, 0, '$metadata.charged'] };
    const sums = [
      [{ 'metadata.appId': appId }, '$metadata.charged', BY_SIZE],
      [{ 'metadata.network': network, uploadDate: { $gt: new Date(0) } }, named, BY_NETWORK],
    ] as const;
    for (const [$match, $sum, hint] of sums) {
      const pipeline = [{ $match }, { $group: { _id: null, bytes: { $sum } } }];
      const plan = await files().aggregate(pipeline, { hint }).explain('executionStats');
      expect(JSON.stringify(plan)).toContain('"totalDocsExamined":0');
      expect(JSON.stringify(plan)).not.toMatch(/"totalDocsExamined":[1-9]/);
    }
  });

  it('are ten files for each submission that the app allows in a minute', async () => {
    const app = await appWith();
    await server.admin.put(`/auth/apps/${app}/form`, { submitPerMinute: 1 }).expect(200);
    const statuses: number[] = [];
    for (let sent = 0; sent < 11; sent += 1) {
      statuses.push((await upload(server.client.url, app, pdf(), from('192.0.2.9'))).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 429]);
  });
});

describe('schemas with fields of files', () => {
  it('cannot allow larger files than the service', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const field = { ...CV, maxBytes: 10_000_001 } as FieldDefinitionInput;
    const { body } = await server.admin.putSchema(sourceAppId, { fields: [field] }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'fields.0.maxBytes', code: 'aboveFileLimit' }]);
  });

  it('are set for one record at a time, and by no column of an import', async () => {
    const app = await appWith();
    const query = `sourceAppId=${app}&confirm=0`;
    const { body } = await server.admin.patch(`/auth/users?${query}`, { set: { cv: [] } }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'data.cv', code: 'filesInBulk' }]);
    const settings = { format: 'csv', map: { E: 'email', C: 'data.cv' } };
    const refused = await server.admin.post(`/auth/imports?sourceAppId=${app}`, settings).expect(400);
    expect(refused.body.errors).toMatchObject([{ path: 'map.C', code: 'notImportPath' }]);
  });

  it('are compared by their presence alone', async () => {
    const app = await appWith();
    const list = (where: string) => server.admin.get(`/auth/users?sourceAppId=${app}&where=${where}`);
    await list('data.cv:exists:true').expect(200);
    await list('data.cv:empty:true').expect(400);
    await list('data.cv:eq:x').expect(400);
    await server.admin.get(`/auth/users/breakdown?sourceAppId=${app}&field=data.cv`).expect(400);
  });

  it('take files from the pages of the app, with the headers of parts', async () => {
    const app = await appWith();
    await server.admin.put(`/auth/apps/${app}/form`, { origins: ['https://www.example.com'] }).expect(200);
    const path = `${server.client.url}/v1/forms/${app}/files?field=cv&name=cv.pdf`;
    const headers = {
      origin: 'https://www.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-range,content-disposition,content-type',
    };
    const preflight = await fetch(path, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://www.example.com');
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(',');
    expect(allowed).toEqual(expect.arrayContaining(['content-range', 'content-disposition', 'content-type']));
    const other = { origin: 'https://other.example.com' };
    expect((await fetch(path, { method: 'POST', headers: other, body: new Uint8Array(pdf()) })).status).toBe(403);
  });

  it('tell forms the control', async () => {
    const app = await appWith();
    const { body } = await server.client.get(`/v1/forms/${app}`).expect(200);
    expect(body.fields).toMatchObject([{ key: 'cv', type: 'file', attributes: { accept: '.pdf,.png' } }]);
  });
});
