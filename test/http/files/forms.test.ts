import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Binary } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, multipartOf, sendBody, TYPES } from '../../support/server/forms.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const LIMIT = 400_000;

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({ FILE_LIMIT: String(LIMIT) });
  b = await startServer({ FILE_LIMIT: String(LIMIT) }, a.database);
});
afterAll(async () => {
  await b.close();
  await a.close();
});

const CV = { key: 'cv', label: 'CV', kind: 'file', types: ['pdf'], maxFiles: 3 };
const NAME = { key: 'name', label: 'Name', kind: 'text', required: true };
const EMAIL = ['email', 'ada@example.com'] as const;
const ADA = ['name', 'Ada'] as const;

const pdf = (bytes = 1_000): Buffer => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes)]);
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

async function formOf(fields: object[] = [NAME, CV], settings: object = {}): Promise<string> {
  const { sourceAppId } = await a.admin.buildApp({ fields: fields as never });
  await a.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}

type Parts = Parameters<typeof multipartOf>[0];
const send = (app: string, parts: Parts, { client } = a) => sendBody(client, app, TYPES.multipart, multipartOf(parts));
const sendForJson = (app: string, parts: Parts, server = a) =>
  send(app, parts, server).set('Accept', 'application/json');

const recordOf = (sourceAppId: string) => a.db.collection('users').findOne({ sourceAppId });
const filesOf = async (sourceAppId: string) => {
  const app = await a.db.collection('apps').findOne({ sourceAppId });
  return a.db.collection('files.files').find({ 'metadata.appId': app?._id, 'metadata.state': 'whole' }).toArray();
};

/** The content of a file, as any driver of GridFS reads it. */
async function contentOf(id: string): Promise<Buffer> {
  const _id = new Binary(Buffer.from(id.replaceAll('-', ''), 'hex'), Binary.SUBTYPE_UUID);
  const chunks = await a.db.collection('files.chunks').find({ files_id: _id }).sort({ n: 1 }).toArray();
  return Buffer.concat(chunks.map(({ data }) => Buffer.from(data.buffer)));
}

/** The kept files of a page: their names by tokens. */
const keptIn = (page: string): Map<string, string> =>
  new Map(
    [...page.matchAll(/type="checkbox"[^>]*value="([\w-]{43})" checked data-name="([^"]*)"/g)].map(
      ([, token = '', name = '']) => [token, name],
    ),
  );
const keyIn = (page: string): string => /name="_key" value="([^"]+)"/.exec(page)?.[1] ?? '';

describe('files of an HTML form (spec 4.14.8)', () => {
  it('are stored with the record, whether they come before the texts or after them', { tags: 'long' }, async () => {
    const [first, second] = [pdf(300_000), pdf()];
    for (const parts of [
      [filePart('cv', 'Lebenslauf ü.pdf', first), filePart('cv', 'b.pdf', second), EMAIL, ADA],
      [EMAIL, ADA, filePart('data[cv]', 'Lebenslauf ü.pdf', first), filePart('data[cv]', 'b.pdf', second)],
    ]) {
      const app = await formOf();
      await send(app, parts).expect(303);
      const data = (await recordOf(app))?.data;
      expect(data).toMatchObject({
        name: 'Ada',
        cv: [
          { name: 'Lebenslauf ü.pdf', type: 'pdf', size: first.length, sha256: sha256(first) },
          { name: 'b.pdf', type: 'pdf', size: second.length, sha256: sha256(second) },
        ],
      });
      expect((await contentOf(data.cv[0].id)).equals(first)).toBe(true);
    }
  });

  it('may be left out, and then change nothing', async () => {
    const app = await formOf();
    await send(app, [EMAIL, ADA, filePart('cv', 'a.pdf', pdf())]).expect(303);
    await send(app, [EMAIL, ['name', 'Ada L'], filePart('cv', '', '')]).expect(303);
    expect((await recordOf(app))?.data).toMatchObject({ name: 'Ada L', cv: [{ name: 'a.pdf' }] });
  });

  it('are refused in other controls, in fields of the staff, and by an app without such a field', async () => {
    const app = await formOf([NAME, CV, { ...CV, key: 'internal', writers: 'staff' }]);
    const other = await formOf([NAME]);
    for (const [form, control] of [
      [app, 'photo'],
      [app, 'internal'],
      [other, 'cv'],
    ] as const) {
      const { body } = await sendForJson(form, [EMAIL, ADA, filePart(control, 'a.pdf', pdf())]).expect(400);
      expect(body.code).toBe('filesRefused');
      expect(await recordOf(form)).toBeNull();
    }
    expect(await filesOf(app)).toEqual([]);
  });

  it('that are too large are 413 before the form is read whole', async () => {
    const app = await formOf(undefined, { languages: ['de'] });
    const { port, hostname } = new URL(a.listener.url);
    const socket = connect(Number(port), hostname);
    const head = [`POST /v1/forms/${app} HTTP/1.1`, 'Host: localhost', `Content-Type: ${TYPES.multipart}`];
    socket.write(
      `${[...head, 'Content-Length: 50000000', 'Accept: text/html', 'Accept-Language: de'].join('\r\n')}\r\n\r\n`,
    );
    socket.write(filePart('cv', 'a.pdf', pdf(LIMIT + 200_000)));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    await once(socket, 'end');
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('Die Datei ist größer als 0,4 MB.');
    expect(answer).toContain('Wählen Sie eine kleinere Datei');
    expect(await filesOf(app)).toEqual([]);
    const small = await formOf([NAME, { ...CV, maxBytes: 2_000 }]);
    const { body } = await sendForJson(small, [EMAIL, ADA, filePart('cv', 'a.pdf', pdf(2_001))]).expect(413);
    expect(body.code).toBe('fileTooLarge');
  });

  it('of a closed form are not stored', async () => {
    const app = await formOf(undefined, { closesAt: '2020-01-01T00:00:00Z' });
    const { body } = await sendForJson(app, [EMAIL, ADA, filePart('cv', 'a.pdf', pdf())]).expect(403);
    expect(body.code).toBe('closed');
    expect(await filesOf(app)).toEqual([]);
  });

  it('are at most as many as the field takes', async () => {
    const app = await formOf();
    const files = Array.from({ length: 4 }, (_, index) => filePart('cv', `${index}.pdf`, pdf()));
    const { body } = await sendForJson(app, [EMAIL, ADA, ...files]).expect(400);
    expect(body.errors).toMatchObject([{ path: 'data.cv', code: 'tooManyFiles', params: { max: 3 } }]);
    expect(await filesOf(app)).toHaveLength(3);
  });
});

describe('the page after a mistake (spec 4.14.8)', () => {
  it('keeps the files, and a person may leave some out', async () => {
    const app = await formOf();
    const contents = [pdf(), pdf()] as const;
    const files = [filePart('cv', 'a.pdf', contents[0]), filePart('cv', 'b & c.pdf', contents[1])];
    const { text: page } = await send(app, [EMAIL, ['name', ''], ...files]).expect(400);
    expect([...keptIn(page).values()]).toEqual(['a.pdf', 'b &#38; c.pdf']);
    expect(page).toContain('These files have arrived. Untick a file to leave it out.');
    // Another mistake, on another server, without the files.
    const [first = '', second = ''] = [...keptIn(page).keys()];
    const again = [
      EMAIL,
      ['name', ''],
      ['data[cv]', first],
      ['data[cv]', second],
      filePart('data[cv]', '', ''),
    ] as const;
    const { text: next } = await send(app, again, b).expect(400);
    expect([...keptIn(next)]).toEqual([...keptIn(page)]);
    await send(app, [EMAIL, ADA, ['data[cv]', second], filePart('data[cv]', 'd.pdf', contents[0])], b).expect(303);
    expect((await recordOf(app))?.data.cv).toMatchObject([{ name: 'b & c.pdf' }, { name: 'd.pdf' }]);
  });

  it('shows a file of a wrong type at its field, and keeps the others', async () => {
    const app = await formOf();
    const files = [filePart('cv', 'a.pdf', '<html>'), filePart('cv', 'b.pdf', pdf())];
    const { text: page } = await send(app, [EMAIL, ...files, ADA]).expect(400);
    expect(page).toContain('<a href="#data-cv">CV: must be a file of one of these types: pdf</a>');
    expect([...keptIn(page).values()]).toEqual(['b.pdf']);
    expect(page).toContain('value="Ada"');
    const { body } = await sendForJson(app, [EMAIL, ...files, ADA]).expect(400);
    expect(body.errors).toMatchObject([{ path: 'data.cv', code: 'fileType' }]);
    expect(await recordOf(app)).toBeNull();
  });

  it('tells what a form needs that sends only the name of a file', async () => {
    const app = await formOf(undefined, { languages: ['de'] });
    const body = 'email=ada%40example.com&name=Ada&cv=a.pdf';
    const { text } = await sendBody(a.client, app, TYPES.urlencoded, body).expect(400);
    expect(text).toContain('A form that sends only its name needs enctype&#61;&#34;multipart/form-data&#34;');
    const german = sendBody(a.client, app, TYPES.urlencoded, body).set('Accept-Language', 'de');
    expect((await german.expect(400)).text).toContain('braucht enctype&#61;&#34;multipart/form-data&#34;');
  });

  it('does not list a file that was used', async () => {
    const app = await formOf();
    const { text: page } = await send(app, [EMAIL, filePart('cv', 'a.pdf', pdf())]).expect(400);
    const [token = ''] = keptIn(page).keys();
    await send(app, [EMAIL, ADA, ['cv', token]]).expect(303);
    const { text: refused } = await send(app, [['email', 'eve@example.com'], ADA, ['cv', token]]).expect(400);
    expect([...keptIn(refused)]).toEqual([]);
  });
});

describe('a repeated form with files (invariant 3)', () => {
  it('is answered as before, although its files have other tokens', { tags: 'long' }, async () => {
    const app = await formOf();
    const content = pdf();
    const form = (body: Buffer): Parts => [EMAIL, ADA, ['_key', 'k1'], filePart('cv', 'a.pdf', body)];
    const { body: first } = await sendForJson(app, form(content)).expect(200);
    expect((await sendForJson(app, form(content), b).expect(200)).body).toEqual(first);
    expect((await sendForJson(app, form(pdf())).expect(422)).body.code).toBe('keyReused');
    expect((await recordOf(app))?.data.cv).toMatchObject([{ sha256: sha256(content) }]);
  });

  it('may name by its token what it sent before', { tags: 'long' }, async () => {
    const app = await formOf();
    const content = pdf();
    const { text: page } = await send(app, [EMAIL, filePart('cv', 'a.pdf', content)]).expect(400);
    const [token = ''] = keptIn(page).keys();
    const key = ['_key', keyIn(page)] as const;
    const { body: first } = await sendForJson(app, [key, EMAIL, ADA, ['cv', token]]).expect(200);
    expect((await sendForJson(app, [key, EMAIL, ADA, filePart('cv', 'a.pdf', content)], b).expect(200)).body).toEqual(
      first,
    );
    expect((await sendForJson(app, [key, EMAIL, ADA, ['cv', token]], b).expect(200)).body).toEqual(first);
  });
});

describe('the form of an app with files', () => {
  it('is sent as multipart, and says what it takes', async () => {
    const app = await formOf([NAME, { ...CV, required: true }, { ...CV, key: 'one', maxFiles: 1, maxBytes: 20_000 }], {
      languages: ['de'],
    });
    const { text } = await a.client.get(`/f/${app}`).expect(200);
    expect(text).toContain(' enctype="multipart/form-data"');
    expect(text).toMatch(
      /<input type="file" id="data-cv" name="data\[cv\]" required[^>]* accept=".pdf" multiple="multiple"/,
    );
    // The limit of the service is the smaller one.
    expect(text).toContain('PDF; at most 0.4 MB each. Number of files: at most 3.');
    expect(text).toContain('PDF; at most 0.02 MB.');
    const { text: german } = await a.client.get(`/f/${app}`).set('Accept-Language', 'de').expect(200);
    expect(german).toContain('PDF; höchstens 0,02 MB.');
    const { body } = await a.client.get(`/v1/forms/${app}`).expect(200);
    expect(body.fields[1]).toMatchObject({ type: 'file', files: { maxFiles: 3, maxBytes: LIMIT } });
    expect(body.files).toMatchObject({ removeFile: 'Remove' });
  });

  it('is as before without such a field', async () => {
    const app = await formOf([NAME]);
    const { text } = await a.client.get(`/f/${app}`).expect(200);
    expect(text).not.toMatch(/enctype|data-files/);
    const { body } = await a.client.get(`/v1/forms/${app}`).expect(200);
    expect(body).not.toHaveProperty('files');
  });
});
