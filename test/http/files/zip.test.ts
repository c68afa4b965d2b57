import { buffer } from 'node:stream/consumers';
import { UUID } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Entry, fromBuffer } from 'yauzl';
import type { FileMetadata } from '../../../src/features/files/files.model.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { asBytes } from '../../support/server/downloads.ts';
import { bytesOf, type FileValue, nameFile, sha256, storeFile } from '../../support/server/files.ts';
import { sharedServer, type TestServer } from '../../support/server/server.ts';
import { pdfOf, upload } from '../../support/server/uploads.ts';

let server: TestServer;
let app: TestApp;
let operator: Client;
beforeAll(async () => {
  server = await sharedServer();
  app = await server.admin.buildApp({ fields: [{ key: 'cv', kind: 'file', types: ['pdf'], maxFiles: 10 }] });
  operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
});

async function named(email: string, content: Buffer, more: Partial<FileMetadata> & { name?: string } = {}) {
  const { body } = await server.client.submit(app.sourceAppId, { email }).expect(200);
  const value = await storeFile(server.db, app.sourceAppId, content, { record: new UUID(body.id as string), ...more });
  await nameFile(server.db, body.id, value);
  return { ...value, record: body.id as string };
}

const download = (path: string, client = operator) => asBytes(client.get(path));

/** The entries of an archive by path. @throws when it is not complete */
function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  const entries = new Map<string, Buffer>();
  return new Promise((resolve, reject) => {
    fromBuffer(archive, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on('error', reject).on('end', () => resolve(entries));
      zip.on('entry', (entry: Entry) => {
        zip.openReadStream(entry, (refused, stream) => {
          if (refused) return reject(refused);
          void buffer(stream).then((bytes) => {
            entries.set(entry.fileName, bytes);
            zip.readEntry();
          }, reject);
        });
      });
      zip.readEntry();
    });
  });
}

const listOf = (entries: Map<string, Buffer>): (FileValue & { path?: string; missing?: string; record: string })[] =>
  JSON.parse(String(entries.get('manifest.json')));

describe('the export as an archive (spec 4.14.5)', () => {
  it('has the records, each file under its id, and a manifest', async () => {
    const [one, other] = [bytesOf(700_000), bytesOf(1_234)];
    const first = await named('zip-a@example.com', one, { name: 'Lebenslauf äöü.pdf' });
    const second = await named('zip-b@example.com', other);
    const { headers, body } = await download('/auth/users/export?format=zip').expect(200);
    expect(headers['content-type']).toBe('application/zip');
    expect(headers['content-disposition']).toMatch(/^attachment; filename="?[\w-]+-\d{4}-\d\d-\d\d\.zip/);
    const entries = await unzip(body);
    const csv = String(entries.get('users.csv'));
    expect(csv).toContain('zip-a@example.com');
    expect(csv.split('\r\n')[0]).toContain('data.cv');
    for (const [file, bytes] of [
      [first, one],
      [second, other],
    ] as const) {
      const path = `files/${file.id}/${file.name}`;
      expect(entries.get(path)?.equals(bytes)).toBe(true);
      expect(listOf(entries)).toContainEqual(
        expect.objectContaining({ ...file, field: 'cv', path, sha256: sha256(bytes) }),
      );
    }
    const { body: part } = await download('/auth/users/export?format=zip&q=%22zip-b%22&columns=email&headers=labels');
    const some = await unzip(part);
    expect([...some.keys()]).toEqual(['users.csv', `files/${second.id}/${second.name}`, 'manifest.json']);
    expect(String(some.get('users.csv'))).toBe('email\r\nzip-b@example.com\r\n');
  });

  it('names what is not given out: waiting for the scanner, infected, gone', async () => {
    const waiting = await named('zip-w@example.com', bytesOf(10), { scan: 'waiting' });
    const infected = await named('zip-i@example.com', bytesOf(10), { scan: 'infected' });
    const gone = await named('zip-g@example.com', bytesOf(10));
    await server.db.collection('files.files').deleteOne({ _id: new UUID(gone.id) as never });
    const entries = await unzip((await download('/auth/users/export?format=zip')).body);
    const missing = Object.fromEntries(listOf(entries).map((file) => [file.id, file.missing]));
    expect(missing).toMatchObject({ [waiting.id]: 'waiting', [infected.id]: 'infected', [gone.id]: 'gone' });
    for (const { id } of [waiting, infected, gone]) {
      expect([...entries.keys()].filter((path) => path.includes(id))).toEqual([]);
    }
  });

  it('breaks off when content is missing, so that no program opens it', async () => {
    const broken = await named('zip-x@example.com', bytesOf(600_000));
    await server.db.collection('files.chunks').deleteOne({ files_id: new UUID(broken.id), n: 1 });
    await expect(download('/auth/users/export?format=zip')).rejects.toThrow(/abort|hang up|terminated/i);
    await operator.delete(`/auth/users/${broken.record}`).expect(200);
    await unzip((await download('/auth/users/export?format=zip')).body);
  });

  it('has an empty manifest for an app without files', async () => {
    const plain = await server.admin.buildApp();
    await server.client.submit(plain.sourceAppId, { email: 'plain@example.com' }).expect(200);
    const query = `format=zip&sourceAppId=${plain.sourceAppId}`;
    const entries = await unzip((await download(`/auth/users/export?${query}`, server.admin)).body);
    expect([...entries.keys()]).toEqual(['users.csv', 'manifest.json']);
    expect(listOf(entries)).toEqual([]);
  });
});

describe('the export of a person who sent files (spec 4.6)', () => {
  const ask = (email: string) => asBytes(operator.post('/auth/people/export', { email })).expect(200);

  it('is an archive with their content; what others sent is not in it', { tags: 'long' }, async () => {
    const [cv, replaced] = [pdfOf(300_000), pdfOf(2_000)];
    const email = 'person@example.com';
    const send = async (content: Buffer, name: string, who = email) => {
      const sent = await upload(server.listener.url, app.sourceAppId, content, { name });
      await server.client.submit(app.sourceAppId, { email: who, data: { cv: [sent.body.token] } }).expect(200);
    };
    await server.admin.put(`/auth/apps/${app.sourceAppId}/history`, { days: 30 }).expect(200);
    await send(replaced, 'old.pdf');
    await send(cv, 'new.pdf');
    await send(pdfOf(500), 'other.pdf', 'other@example.com');
    const { headers, body } = await ask(email);
    expect(headers['content-type']).toBe('application/zip');
    const entries = await unzip(body);
    const person = JSON.parse(String(entries.get('person.json')));
    expect(person.email).toBe(email);
    const [value] = person.entries.find(({ kind }: { kind: string }) => kind === 'record').data.cv;
    expect(entries.get(`files/${value.id}/new.pdf`)?.equals(cv)).toBe(true);
    const contents = [...entries].filter(([path]) => path !== 'person.json').map(([, bytes]) => sha256(bytes));
    expect(contents.sort()).toEqual([sha256(cv), sha256(replaced)].sort());
    const json = await operator.post('/auth/people/export', { email }).set('Accept', 'application/json').expect(200);
    expect(json.body.entries).toEqual(person.entries);
  });

  it('is a document for everybody else', async () => {
    await server.client.submit(app.sourceAppId, { email: 'none@example.com' }).expect(200);
    const { headers, body } = await operator.post('/auth/people/export', { email: 'none@example.com' }).expect(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body.entries).toHaveLength(1);
  });
});
