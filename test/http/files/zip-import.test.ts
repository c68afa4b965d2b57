import { type Document, UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportOf, type RawEntry, rawZip, zipOf } from '../../support/samples/archives.ts';
import type { Client, TestApp } from '../../support/server/client.ts';
import { asBytes } from '../../support/server/downloads.ts';
import { type FileValue, sha256 } from '../../support/server/files.ts';
import { linesIn, prepareImport, rejectsOf, runImport, untilImport } from '../../support/server/imports.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import { age } from '../../support/server/uploaded.ts';
import { CV, PNG, pdfOf, upload } from '../../support/server/uploads.ts';

let server: TestServer;
let admin: Client;
beforeAll(async () => {
  server = await startServer({ IMPORT_LIMIT: String(64 * 1024 * 1024) }, undefined, QUICK_JOBS);
  admin = server.admin;
});
afterAll(() => server.close());

const ZIP = { format: 'zip' };
const newApp = (): Promise<TestApp> =>
  server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }, CV, { key: 'day', kind: 'date' }] });

const recordsOf = (sourceAppId: string) =>
  server.db.collection('users').find({ sourceAppId }).sort({ email: 1 }).toArray();

async function filesOf(sourceAppId: string) {
  const app = await server.db.collection('apps').findOne({ sourceAppId });
  return server.db.collection('files.files').find({ 'metadata.appId': app?._id }).toArray();
}

async function download(value: FileValue, sourceAppId: string): Promise<Buffer> {
  const { body } = await asBytes(admin.get(`/auth/files/${value.id}?sourceAppId=${sourceAppId}`)).expect(200);
  return body;
}

async function exported(sourceAppId: string): Promise<Buffer> {
  const { body } = await asBytes(admin.get(`/auth/users/export?format=zip&sourceAppId=${sourceAppId}`)).expect(200);
  return body;
}

const isWhole = (file: Document): boolean => file.metadata.state === 'whole';
const fileOf = (content: Buffer, name = 'cv.pdf') => ({ id: new UUID().toString(), name, content });

describe('the import of an export (spec 4.7.1)', () => {
  it('brings the names of files that a path cannot have', async () => {
    const [from, to] = [await newApp(), await newApp()];
    const name = 'Offer: 1*2?.pdf';
    const { body } = await upload(server.listener.url, from.sourceAppId, pdfOf(100), { name });
    await server.client.submit(from.sourceAppId, { email: 'a@example.com', data: { cv: [body.token] } }).expect(200);
    const archive = await exported(from.sourceAppId);
    expect(archive.includes('Offer_ 1_2_.pdf')).toBe(true);
    expect(await runImport(admin, to.sourceAppId, archive, ZIP)).toMatchObject({ state: 'completed', created: 1 });
    expect((await recordsOf(to.sourceAppId))[0]?.data.cv).toMatchObject([{ name }]);
  });

  it('finds a file whose path has its name as it is', async () => {
    const app = await newApp();
    const file = fileOf(pdfOf(100), 'a:b.pdf');
    const archive = await zipOf(exportOf({ 'a@example.com': [file] }));
    expect(await runImport(admin, app.sourceAppId, archive, ZIP)).toMatchObject({ created: 1, rejected: 0 });
    expect((await recordsOf(app.sourceAppId))[0]?.data.cv).toMatchObject([{ name: 'a:b.pdf' }]);
  });

  it('brings records and files to another app, byte for byte', { tags: 'long' }, async () => {
    const [from, to] = [await newApp(), await newApp()];
    const contents = new Map<string, Buffer[]>();
    for (const [email, sizes] of Object.entries({ 'a@example.com': [600_000, 10_001], 'b@example.com': [77] })) {
      contents.set(
        email,
        sizes.map((size, index) => pdfOf(size, index + 1)),
      );
      const tokens: string[] = [];
      for (const content of contents.get(email) ?? []) {
        tokens.push(
          (await upload(server.listener.url, from.sourceAppId, content, { name: 'Lebenslauf ä.pdf' })).body.token,
        );
      }
      const data = { name: `=Ada, "${email}"\n`, cv: tokens, day: '2026-02-03T00:00:00.000Z' };
      await server.client.submit(from.sourceAppId, { email, data }).expect(200);
    }
    await server.client.submit(from.sourceAppId, { email: 'c@example.com', data: { name: 'none' } }).expect(200);
    const archive = await exported(from.sourceAppId);

    const result = await runImport(admin, to.sourceAppId, archive, ZIP);
    expect(result).toMatchObject({ state: 'completed', read: 3, created: 3, rejected: 0 });
    expect(result).toMatchObject({ received: archive.length, position: archive.length });
    const [before, after] = [await recordsOf(from.sourceAppId), await recordsOf(to.sourceAppId)];
    const withoutIds = (records: typeof before) =>
      records.map(({ email, data }) => ({
        email,
        data: { ...data, ...(data.cv && { cv: data.cv.map(({ id: _, ...file }: FileValue) => file) }) },
      }));
    expect(withoutIds(after)).toEqual(withoutIds(before));
    for (const { email, data } of after) {
      for (const [index, value] of ((data.cv ?? []) as FileValue[]).entries()) {
        expect((await download(value, to.sourceAppId)).equals(contents.get(email)?.[index] as Buffer)).toBe(true);
      }
    }
    const stored = await filesOf(to.sourceAppId);
    expect(stored.map(({ metadata }) => metadata.state)).toEqual(['whole', 'whole', 'whole']);
    const named = new Set(after.flatMap(({ data }) => (data.cv ?? []).map(({ id }: FileValue) => id)));
    expect(new Set(stored.map(({ _id }) => String(_id)))).toEqual(named);

    // Again: nothing is stored twice. Into the app that it came from: nothing changes.
    for (const app of [to, from]) {
      const again = await runImport(admin, app.sourceAppId, archive, ZIP);
      expect(again).toMatchObject({ state: 'completed', unchanged: 3 });
      expect(await filesOf(app.sourceAppId)).toHaveLength(3);
    }
  });

  it('keeps the files of a record that a line has too, and removes what it replaces', { tags: 'long' }, async () => {
    const app = await newApp();
    const [kept, replaced, added] = [fileOf(pdfOf(500, 1)), fileOf(pdfOf(600, 2)), fileOf(pdfOf(700, 3), 'new.pdf')];
    await runImport(admin, app.sourceAppId, await zipOf(exportOf({ 'a@example.com': [kept, replaced] })), ZIP);
    const [before] = await recordsOf(app.sourceAppId);
    const result = await runImport(
      admin,
      app.sourceAppId,
      await zipOf(exportOf({ 'a@example.com': [added, kept] })),
      ZIP,
    );
    expect(result).toMatchObject({ updated: 1 });
    const [record] = await recordsOf(app.sourceAppId);
    expect(record?.data.cv.map(({ sha256: hash }: FileValue) => hash)).toEqual([
      sha256(added.content),
      sha256(kept.content),
    ]);
    expect(record?.data.cv[1]).toEqual(before?.data.cv[0]);
    await server.db.collection('users').updateOne({ sourceAppId: app.sourceAppId }, { $set: { history: [] } });
    // The claim of the first import is over.
    await age(server.db, before?.data.cv[1], 60_000);
    const left = async () => (await filesOf(app.sourceAppId)).filter(isWhole).length;
    await expect.poll(left, { timeout: 10_000 }).toBe(2);
  });

  it('takes files by their paths, from an archive that a person made', { tags: 'long' }, async () => {
    const app = await newApp();
    const [one, other] = [pdfOf(300_000), pdfOf(50)];
    const csv = `email;cv\na@example.com;"[""files/ada/cv.pdf"",""files/é.png""]"\nb@example.com;files/b/b.pdf\nc@example.com;\n`;
    const entries = [
      { path: 'files/', content: '' },
      { path: '.DS_Store', content: 'x' },
      { path: 'files/ada/cv.pdf', content: one },
      { path: 'files/é.png', content: PNG, compress: false },
      { path: 'files/b/b.pdf', content: other },
      { path: 'users.csv', content: csv },
    ];
    for (const forceZip64Format of [false, true]) {
      const archive = await zipOf(entries, { forceZip64Format });
      const result = await runImport(admin, app.sourceAppId, archive, ZIP);
      expect(result).toMatchObject({ state: 'completed', read: 3, rejected: 0 });
    }
    const [a, b] = await recordsOf(app.sourceAppId);
    expect(a?.data.cv.map(({ name }: FileValue) => name)).toEqual(['cv.pdf', 'é.png']);
    expect(a?.data.cv[0].sha256).toBe(sha256(one));
    expect(b?.data.cv[0]).toMatchObject({ name: 'b.pdf', size: other.length });
  });
});

describe('a line of an archive (spec 4.7.1)', () => {
  it('is rejected for a file that is missing, damaged, too large, of another type or not that of the manifest', {
    tags: 'long',
  }, async () => {
    const app = await newApp();
    const good = fileOf(pdfOf(1_000));
    const people = {
      'good@example.com': [good],
      'changed@example.com': [{ ...fileOf(pdfOf(1_001)), sha256: sha256(Buffer.from('other')) }],
      'html@example.com': [fileOf(Buffer.from('<html><script>alert(1)</script>'))],
      'name@example.com': [fileOf(pdfOf(1_002), 'cv.exe')],
      'large@example.com': [fileOf(pdfOf(10_000_001))],
      'many@example.com': [good, good, good, good],
      'missing@example.com': [fileOf(pdfOf(1_003), 'missing.pdf')],
      'damaged@example.com': [fileOf(pdfOf(1_004), 'damaged.pdf')],
      'last@example.com': [fileOf(pdfOf(1_005), 'last.pdf')],
    };
    const entries = new Map(exportOf(people).map((entry) => [entry.path, entry]));
    const raw = [...entries.values()]
      .filter(({ path }) => !path.includes('missing'))
      .map((entry): RawEntry => ({ ...entry, ...(entry.path.includes('damaged') && { crc: 1 }) }));
    for (const dryRun of [true, false]) {
      const result = await runImport(admin, app.sourceAppId, rawZip(raw), { ...ZIP, dryRun });
      expect(result).toMatchObject({ state: 'completed', read: 9, created: 2, rejected: 7 });
      expect(result.errors).toEqual([
        { line: 3, message: 'data.cv.0 is not the file that the archive states' },
        { line: 4, message: 'data.cv.0 must be a file of one of these types: pdf, png' },
        { line: 5, message: 'data.cv.0 must be a file of one of these types: pdf, png' },
        { line: 6, message: 'data.cv.0: The file is larger than 10 MB' },
        { line: 7, message: 'data.cv must have at most 3 files' },
        { line: 8, message: 'data.cv.0 is no file of the archive' },
        { line: 9, message: 'data.cv.0 is damaged in the archive' },
      ]);
      if (dryRun) expect(await filesOf(app.sourceAppId)).toEqual([]);
    }
    expect((await recordsOf(app.sourceAppId)).map(({ email }) => email)).toEqual([
      'good@example.com',
      'last@example.com',
    ]);
    expect((await filesOf(app.sourceAppId)).filter(isWhole)).toHaveLength(2);
  });

  it('names files only in an archive, whose entries it cannot leave', { tags: 'long' }, async () => {
    const app = await newApp();
    const cv = fileOf(pdfOf(100));
    await runImport(admin, app.sourceAppId, await zipOf(exportOf({ 'a@example.com': [cv] })), ZIP);
    const [{ data }] = (await recordsOf(app.sourceAppId)) as never as [{ data: { cv: FileValue[] } }];
    const line = `${JSON.stringify({ email: 'b@example.com', data: { cv: data.cv } })}\n`;
    const json = await runImport(admin, app.sourceAppId, line, { format: 'ndjson' });
    expect(json.errors).toEqual([{ line: 1, message: 'data.cv.0 holds files, which only an archive brings' }]);
    const paths = [
      'users.csv',
      '../users.csv',
      'files/../users.csv',
      '/etc/passwd',
      'manifest.json',
      data.cv[0]?.id,
      '',
    ];
    const csv = paths.map((path, index) => `p${index}@example.com,"${JSON.stringify([path]).replaceAll('"', '""')}"\n`);
    const archive = await zipOf([{ path: 'users.csv', content: `email,cv\n${csv.join('')}` }]);
    const result = await runImport(admin, app.sourceAppId, archive, ZIP);
    expect(result).toMatchObject({ read: 7, rejected: 7 });
    expect(linesIn(await rejectsOf(admin, app.sourceAppId, result.id))).toEqual([2, 3, 4, 5, 6, 7, 8]);
  });

  it('keeps no file of a line whose later file is refused', async () => {
    const app = await newApp();
    const people = { 'a@example.com': [fileOf(pdfOf(1_000)), fileOf(Buffer.from('no pdf'))] };
    const result = await runImport(admin, app.sourceAppId, await zipOf(exportOf(people)), ZIP);
    expect(result).toMatchObject({ state: 'completed', read: 1, rejected: 1 });
    await expect.poll(async () => (await filesOf(app.sourceAppId)).filter(isWhole), { timeout: 20_000 }).toEqual([]);
  });

  it('ends an import with `invalid: abort`, and nothing after it is stored', async () => {
    const app = await newApp();
    const people = {
      'a@example.com': [fileOf(pdfOf(1_000))],
      'b@example.com': [fileOf(Buffer.from('no pdf'))],
      'c@example.com': [fileOf(pdfOf(2_000))],
    };
    const result = await runImport(admin, app.sourceAppId, await zipOf(exportOf(people)), { ...ZIP, invalid: 'abort' });
    expect(result).toMatchObject({ state: 'aborted', read: 2, created: 1, rejected: 1 });
    expect((await filesOf(app.sourceAppId)).filter(isWhole)).toHaveLength(1);
  });
});

describe('an archive that attacks (spec 4.7.1)', () => {
  const lines = { path: 'users.csv', content: 'email,cv\na@example.com,\n' };
  const file = { path: 'files/a/cv.pdf', content: pdfOf(1_000) };

  async function refusal(archive: Buffer): Promise<string> {
    const app = await newApp();
    const id = await prepareImport(admin, app.sourceAppId, archive, ZIP);
    const { body } = await admin.post(`/auth/imports/${id}/start?sourceAppId=${app.sourceAppId}`).expect(400);
    return body.message;
  }

  it.each([
    ['is none', () => Buffer.from('email\na@example.com\n'), /no ZIP archive/],
    ['is cut', () => rawZip([lines, file]).subarray(0, -30), /no ZIP archive/],
    ['leaves its folder', () => rawZip([lines, { ...file, path: '../files/x.pdf' }]), /no ZIP archive/],
    ['has an absolute name', () => rawZip([lines, { ...file, path: '/files/x.pdf' }]), /no ZIP archive/],
    ['has a name of Windows', () => rawZip([lines, { ...file, path: 'files\\x.pdf' }]), /no ZIP archive/],
    ['has two entries of one name', () => rawZip([lines, file, file]), /two entries of one name/],
    ['has two lists of people', () => rawZip([lines, file, lines]), /two entries of one name/],
    ['overlaps', () => rawZip([lines, file, { ...file, path: 'files/b/cv.pdf', offset: 30 }]), /overlap/],
    [
      'overlaps its directory',
      () => rawZip([lines, { ...file, method: 0, content: '', packedSize: 5_000, size: 5_000 }]),
      /overlap/,
    ],
    ['is encrypted', () => rawZip([lines, { ...file, flags: 0x801 }]), /encrypted/],
    ['has another method', () => rawZip([{ ...lines, method: 12 }, file]), /another method/],
    ['has no people', () => rawZip([file]), /no users.csv/],
    ['says that its people are many', () => rawZip([{ ...lines, size: 2 ** 31 }]), /larger than 64 MB/],
    // Read, it would keep the imports of all apps waiting.
    [
      'says that its manifest is large',
      () => rawZip([lines, { path: 'manifest.json', content: '[]', size: 2 ** 27 }]),
      /larger than 64 MB/,
    ],
    [
      'has a large directory',
      () => {
        const name = (at: number) => `files/${'x'.repeat(60_000)}${at}`;
        return rawZip(Array.from({ length: 420 }, (_, at) => ({ path: name(at), content: '', method: 0 })));
      },
      /a directory of more than/,
    ],
  ])('that %s is refused at its start', async (_, archive, message) => {
    expect(await refusal(archive())).toMatch(message);
  });

  it.each([
    ['more', { size: 10 }],
    ['less', { size: 20_000_000 }],
    ['other', { crc: 7 }],
  ])('whose people are %s than it says applies no line', async (_, told) => {
    const app = await newApp();
    const content = `email,name\n${Array.from({ length: 20_000 }, (_, at) => `p${at}@example.com,n\n`).join('')}`;
    const archive = rawZip([{ ...lines, content, ...told }]);
    const id = await prepareImport(admin, app.sourceAppId, archive, ZIP);
    const start = await admin.post(`/auth/imports/${id}/start?sourceAppId=${app.sourceAppId}`);
    // The header may be where the lines are cut.
    if (start.status === 400) expect(start.body.message).toBe('The archive is damaged');
    else {
      const result = await untilImport(admin, app.sourceAppId, id);
      expect(result).toMatchObject({ state: 'failed', failure: 'The archive is damaged', read: 0 });
    }
    expect(await recordsOf(app.sourceAppId)).toEqual([]);
  });

  it('with a file of a high ratio is stopped at the size that it states, or at the limit', {
    tags: 'long',
  }, async () => {
    const app = await newApp();
    const bomb = Buffer.alloc(60_000_000, 7);
    bomb.write('%PDF-1.7\n');
    const archive = rawZip([
      { path: 'users.csv', content: 'email,cv\na@example.com,files/a.pdf\nb@example.com,files/b.pdf\n' },
      { path: 'files/a.pdf', content: bomb },
      { path: 'files/b.pdf', content: bomb, size: 1_000 },
    ]);
    expect(archive.length).toBeLessThan(200_000);
    const before = process.memoryUsage().arrayBuffers;
    const result = await runImport(admin, app.sourceAppId, archive, ZIP);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000);
    expect(result.errors.map(({ message }) => message)).toEqual([
      'cv.0: The file is larger than 10 MB',
      'cv.0 is damaged in the archive',
    ]);
    expect((await filesOf(app.sourceAppId)).filter(isWhole)).toEqual([]);
  });

  it('with a manifest that is none fails', async () => {
    const app = await newApp();
    for (const content of ['[{"path": tru}]', `[{"path": "${'x'.repeat(100_000)}`, '[{"path": "a"']) {
      const archive = await zipOf([lines, { path: 'manifest.json', content }]);
      expect(await runImport(admin, app.sourceAppId, archive, ZIP)).toMatchObject({ state: 'failed', read: 0 });
    }
  });
});

describe('an erasure while an archive waits (spec 4.6)', () => {
  it('removes an archive that has the person, or that is not complete, and no other', { tags: 'long' }, async () => {
    const app = await newApp();
    const scope = `sourceAppId=${app.sourceAppId}`;
    await server.services.jobs.stop();
    const archive = await zipOf(exportOf({ 'gone@example.com': [fileOf(pdfOf(5_000))], 'b@example.com': [] }));
    const waiting = await prepareImport(admin, app.sourceAppId, archive, ZIP);
    const cut = await prepareImport(admin, app.sourceAppId, archive.subarray(0, 300), ZIP);
    const other = await prepareImport(admin, app.sourceAppId, await zipOf(exportOf({ 'b@example.com': [] })), ZIP);
    const running = await prepareImport(admin, app.sourceAppId, archive, ZIP);
    await admin.post(`/auth/imports/${running}/start?${scope}`).expect(200);
    const { body } = await admin.post(`/auth/people/export?${scope}`, { email: 'gone@example.com' }).expect(200);
    expect(body.entries.map(({ kind }: { kind: string }) => kind)).toEqual(['import-line', 'import-line']);
    const { body: receipt } = await admin
      .post(`/auth/people/erase?${scope}`, { email: 'gone@example.com' })
      .expect(200);
    expect(receipt.erased?.importLines ?? receipt.importLines).toBe(3);
    const { body: list } = await admin.get(`/auth/imports?${scope}`).expect(200);
    const states = Object.fromEntries(list.imports.map((one: { id: string }) => [one.id, one]));
    expect(states[waiting]).toMatchObject({ state: 'uploading', received: 0 });
    expect(states[cut]).toMatchObject({ state: 'uploading', received: 0 });
    expect(states[other].received).toBeGreaterThan(0);
    expect(states[running]).toMatchObject({ state: 'failed', failure: expect.stringMatching(/erased/) });
    const chunks = await server.db.collection('import_chunks').distinct('importId');
    expect(chunks.map(String)).not.toContain(waiting);
    expect(chunks.map(String)).not.toContain(running);
    expect(chunks.map(String)).toContain(other);
  });
});
