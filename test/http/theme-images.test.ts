import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilDatabaseTime } from '../support/clock/database-time.ts';
import { mailEnv } from '../support/peers/smtp.ts';
import { dataUrl, JPEG, png, WEBP } from '../support/samples/images.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';
import { startServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

const POLL = { timeout: 20_000 };
const RED = png(4, 4, [200, 0, 0]);
const BLUE = png(4, 4, [0, 0, 200]);
const [LOGO, COVER] = [dataUrl('png', RED), dataUrl('jpeg', JPEG)];
const KB = 1024;

let servers: MailServers;
beforeAll(async () => {
  servers = await startMailServers();
});
afterAll(() => servers.close());

const path = (app: string) => `/auth/apps/${app}/form`;
const put = (app: string, theme: unknown, others: object = {}) => servers.a.admin.put(path(app), { theme, ...others });

async function appWith(theme: object, others: object = {}) {
  const { sourceAppId } = await servers.a.admin.buildApp();
  await put(sourceAppId, theme, others).expect(200);
  return sourceAppId;
}

const documentOf = (sourceAppId: string) => servers.a.db.collection('apps').findOne({ sourceAppId });
const stored = async (app: string) =>
  servers.a.db
    .collection('form_images')
    .find({ appId: (await documentOf(app))?._id })
    .sort({ _id: 1 })
    .toArray();
const bytesOf = async (app: string) => (await stored(app)).map(({ content }) => Buffer.from(content.buffer));
const page = (address: string) => servers.b.client.get(address).set('Accept', 'text/html');
const decoded = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
const imagesIn = (text: string) => [...text.matchAll(/<img [^>]*>/g)].map(([tag]) => decoded(tag));
const definition = async (app: string) => (await servers.b.client.get(`/v1/forms/${app}`).expect(200)).body;
const addressOf = async (app: string, name: 'logo' | 'cover') =>
  String((await definition(app)).images.find((image: { class: string }) => image.class === name).src);

describe('the images of a theme (spec 4.5.1)', () => {
  it('include a logo for dark backgrounds, which is shown in its scheme', async () => {
    const logoDark = dataUrl('png', BLUE);
    const app = await appWith({ logo: LOGO, logoDark, logoAlt: 'Ada' });
    expect((await servers.b.admin.get(path(app)).expect(200)).body.theme).toMatchObject({ logo: LOGO, logoDark });
    const [logo] = (await definition(app)).images;
    expect(logo).toEqual({
      class: 'logo',
      src: expect.stringContaining('/logo?'),
      alt: 'Ada',
      dark: expect.any(String),
    });
    const { text } = await page(`/f/${app}`).expect(200);
    expect(decoded(text)).toContain(
      `<picture><source media="(prefers-color-scheme:dark)" srcset="${logo.dark}"><img class="logo both" src="${logo.src}" alt="Ada"></picture>`,
    );
    const { body } = await servers.b.client.get(logo.dark).expect(200).expect('Content-Type', 'image/png');
    expect(Buffer.compare(body, BLUE)).toBe(0);
    await put(app, { logo: LOGO, logoDark, scheme: 'dark' }).expect(200);
    expect(imagesIn((await page(`/f/${app}`)).text)).toEqual([`<img class="logo both" src="${logo.dark}" alt="">`]);
    await put(app, { logo: LOGO }).expect(200);
    expect(await bytesOf(app)).toEqual([RED]);
  });

  it('are answered as they are sent, of every type, and stay the same when they are sent again', {
    tags: 'long',
  }, async () => {
    for (const [type, bytes] of [
      ['png', RED],
      ['jpeg', JPEG],
      ['webp', WEBP],
    ] as const) {
      const theme = { accent: '#ffe600', logo: dataUrl(type, bytes), logoAlt: 'Ada & Co', cover: COVER };
      const app = await appWith(theme);
      const { body, headers } = await servers.b.admin.get(path(app)).expect(200);
      expect(body.theme).toEqual(theme);
      const before = (await documentOf(app))?.form.theme;
      await servers.b.admin.put(path(app), body).set('If-Match', String(headers.etag)).expect(200);
      expect((await documentOf(app))?.form.theme).toEqual(before);
      expect(await stored(app)).toHaveLength(2);
    }
  });

  it('are refused at their member unless their bytes are those of their type', { tags: 'long' }, async () => {
    const { sourceAppId: app } = await servers.a.admin.buildApp();
    const wrong: [unknown, string][] = [
      [7, 'notText'],
      ['https://example.com/logo.png', 'notImage'],
      [dataUrl('gif', Buffer.from('GIF89a')), 'notImage'],
      [dataUrl('svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), 'notImage'],
      [dataUrl('png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), 'notImage'],
      [dataUrl('png', JPEG), 'notImage'],
      [dataUrl('jpeg', WEBP), 'notImage'],
      [dataUrl('webp', RED), 'notImage'],
      [dataUrl('webp', Buffer.from('RIFF\0\0\0\0AVI LIST')), 'notImage'],
      [dataUrl('png', RED.subarray(0, 7)), 'notImage'],
      ['data:image/png;base64,', 'notImage'],
      [LOGO.replace(';base64', ''), 'notImage'],
      [` ${LOGO}`, 'notImage'],
      [`${LOGO}\n`, 'notImage'],
      // Bits after the last byte, which a decoder drops.
      [`${dataUrl('jpeg', JPEG.subarray(0, 4)).slice(0, -3)}B==`, 'notImage'],
    ];
    for (const name of ['logo', 'cover'] as const) {
      for (const [value, code] of wrong) {
        const { body } = await put(app, { [name]: value }).expect(400);
        expect(body.errors, String(value)).toMatchObject([{ path: `theme.${name}`, code }]);
      }
    }
    const { body } = await put(app, { logoAlt: 'x'.repeat(201) }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'theme.logoAlt', code: 'tooLong' }]);
    expect(await stored(app)).toEqual([]);
  });

  it('have at most 100 and 300 kB, for which that body may be larger, and no other', async () => {
    const { sourceAppId: app } = await servers.a.admin.buildApp();
    const of = (name: string, bytes: number) => ({ [name]: dataUrl('png', png(1, 1, [1, 2, 3], bytes)) });
    const largest = { ...of('logo', 100 * KB), ...of('logoDark', 100 * KB), ...of('cover', 300 * KB) };
    expect((await put(app, largest).expect(200)).body.theme).toEqual(largest);
    for (const [name, max] of [
      ['logo', 100],
      ['logoDark', 100],
      ['cover', 300],
    ] as const) {
      const { body } = await put(app, of(name, max * KB + 1)).expect(400);
      expect(body.errors).toMatchObject([{ path: `theme.${name}`, code: 'imageTooLarge', params: { max } }]);
    }
    await put(app, largest, { description: 'x'.repeat(110 * KB) }).expect(413);
    const large = { submissions: true, days: 'x'.repeat(110 * KB) };
    await servers.a.admin.put(`/auth/apps/${app}/history`, large).expect(413);
    await servers.a.client.post('/v1/users', large).set('x-app-id', app).expect(413);
  });

  it('are not in the settings that submissions read', async () => {
    const app = await appWith({ logo: dataUrl('png', png(1, 1, [1, 2, 3], 90 * KB)), cover: COVER });
    const form = (await documentOf(app))?.form;
    expect(JSON.stringify(form).length).toBeLessThan(600);
    expect(form.theme.logo).toEqual({ id: expect.any(ObjectId), type: 'image/png', hash: expect.any(String) });
  });

  it('are files with an ETag, immutable under the address with their version', { tags: 'long' }, async () => {
    const app = await appWith({ logo: LOGO });
    const { client } = servers.b;
    const address = await addressOf(app, 'logo');
    const { headers, body } = await client.get(address).buffer().expect(200);
    expect(Buffer.from(body)).toEqual(RED);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(RED.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    });
    await client.get(address).set('If-None-Match', String(headers.etag)).expect(304);
    for (const other of [`/f/${app}/images/logo`, `/f/${app}/images/logo?v=other`]) {
      expect((await client.get(other).expect(200)).headers['cache-control']).toBe('no-cache');
    }
    await client.get(`/f/${app}/images/cover`).expect(404);
    await client.get(`/f/${app}/images/other`).expect(400);
    await client.get('/f/no-such-app/images/logo').expect(404);
    await put(app, { logo: dataUrl('webp', WEBP) }).expect(200);
    // An email that was sent before still shows the logo.
    const now = await client.get(address).expect(200);
    expect([now.headers['content-type'], now.headers['cache-control']]).toEqual(['image/webp', 'no-cache']);
    expect(now.headers.etag).not.toBe(headers.etag);
    await put(app, null).expect(200);
    await client.get(address).expect(404);
  });

  it('are above every page, under a policy that allows them there only', { tags: 'long' }, async () => {
    const app = await appWith({ logo: LOGO, logoAlt: 'Ada "&" Co', cover: COVER }, { doubleOptIn: true });
    const plain = await appWith({ accent: '#112233', logoAlt: 'x' }, { doubleOptIn: true });
    const [logo, cover] = [await addressOf(app, 'logo'), await addressOf(app, 'cover')];
    const form = (body: string, type = 'application/x-www-form-urlencoded') =>
      servers.b.client.post(`/v1/forms/${app}`, body).set('Accept', 'text/html').set('Content-Type', type);
    const answers = [
      await page(`/f/${app}`).expect(200),
      await page(`/f/${app}/thanks`).expect(200),
      await page(`/f/${app}/confirm/none`).expect(404),
      await page(`/f/${app}/images/other`).expect(400),
      await form('data[unknown]=1&email=no').expect(400),
      await form('{}', 'text/plain').expect(400),
    ];
    await put(app, { logo: LOGO, logoAlt: 'Ada "&" Co', cover: COVER }, { closesAt: '2020-01-01T00:00:00Z' });
    answers.push(await page(`/f/${app}`).expect(200));
    for (const { text, headers } of answers) {
      expect(imagesIn(text)).toEqual([
        `<img class="cover" src="${cover}" alt="">`,
        `<img class="logo" src="${logo}" alt="Ada "&" Co">`,
      ]);
      expect(headers['content-security-policy']).toContain("; img-src 'self';");
      expect(text).not.toContain('style=');
    }
    const { text, headers } = await page(`/f/${plain}`).expect(200);
    expect(imagesIn(text)).toEqual([]);
    expect(headers['content-security-policy']).not.toContain('img-src');
  });

  it('are in the form as data, which has none without them, on every server when the PUT is answered', {
    tags: 'long',
  }, async () => {
    const app = await appWith({ logo: LOGO });
    const images = async () => (await definition(app)).images;
    expect(await images()).toEqual([
      { class: 'logo', src: expect.stringContaining(`/f/${app}/images/logo?v=`), alt: '' },
    ]);
    for (const bytes of [BLUE, RED, BLUE]) {
      await put(app, { cover: dataUrl('png', bytes), logoAlt: 'x' }).expect(200);
      const [{ class: name, src }] = await images();
      expect(name).toBe('cover');
      expect(Buffer.from((await servers.b.client.get(src).buffer().expect(200)).body)).toEqual(bytes);
    }
    await put(app, { logoAlt: 'x' }).expect(200);
    expect(await definition(app)).not.toHaveProperty('images');
  });

  it('are in emails to people by absolute addresses, and only if the server has one', { tags: 'long' }, async () => {
    const reply = { when: 'created', subject: 'Thank you', text: 'Hello' };
    const theme = { logo: LOGO, logoAlt: 'Ada', cover: COVER };
    const app = await appWith(theme, { doubleOptIn: true, reply });
    await servers.a.client.submit(app, { email: 'ada@example.com' }).expect(200);
    await expect.poll(() => servers.smtp.to('ada@example.com').length, POLL).toBe(2);
    for (const { html = '' } of servers.smtp.to('ada@example.com')) {
      const [cover, logo] = imagesIn(html);
      expect(cover).toContain(`src="https://forms.example.com${await addressOf(app, 'cover')}" alt=""`);
      expect(logo).toContain(`src="https://forms.example.com${await addressOf(app, 'logo')}" alt="Ada"`);
    }

    const without = await startServer(mailEnv(servers.smtp, ''));
    try {
      const { sourceAppId } = await without.admin.buildApp();
      await without.admin.put(path(sourceAppId), { theme, reply }).expect(200);
      await without.client.submit(sourceAppId, { email: 'bob@example.com' }).expect(200);
      await expect.poll(() => servers.smtp.to('bob@example.com').length, POLL).toBe(1);
      expect(imagesIn(servers.smtp.to('bob@example.com')[0]?.html ?? '')).toEqual([]);
    } finally {
      await without.close();
    }
  });
});

describe('the stored images of a theme', () => {
  it('are removed when they are replaced, and with the app', { tags: 'long' }, async () => {
    const app = await appWith({ logo: LOGO, cover: COVER });
    await put(app, { logo: dataUrl('png', BLUE), cover: COVER }).expect(200);
    expect(await bytesOf(app)).toEqual([JPEG, BLUE]);
    await put(app, { cover: COVER }).expect(200);
    expect(await bytesOf(app)).toEqual([JPEG]);
    const appId = (await documentOf(app))?._id;
    await servers.a.admin.delete(`/auth/apps/${app}`).expect(200);
    expect(await servers.a.db.collection('form_images').countDocuments({ appId })).toBe(0);
  });

  it('are none of a refused replacement', async () => {
    const app = await appWith({ logo: LOGO });
    await put(app, { logo: dataUrl('png', BLUE) })
      .set('If-Match', '"0123456789abcdef01234567"')
      .expect(412);
    await put(app, { logo: dataUrl('png', BLUE) }, { botProtection: 'turnstile' }).expect(400);
    expect(await bytesOf(app)).toEqual([RED]);
  });

  it('of a replacement that never ended are removed by a later one', async () => {
    const app = await appWith({ logo: LOGO });
    const appId = (await documentOf(app))?._id;
    const content = (await stored(app))[0]?.content;
    const left = (minutes: number) => {
      const createdAt = new Date(Date.now() - minutes * 60_000);
      return servers.a.db.collection('form_images').insertOne({ appId, content, createdAt });
    };
    await left(70);
    // One of a replacement in progress.
    const { insertedId } = await left(1);
    await put(app, { logo: LOGO, cover: COVER }).expect(200);
    const ids = (await stored(app)).map(({ _id }) => String(_id));
    expect(ids).toHaveLength(3);
    expect(ids).toContain(String(insertedId));
  });

  it('stay when the settings that have them are restored before they are removed', { tags: 'long' }, async () => {
    const app = await appWith({ logo: LOGO });
    const before = await documentOf(app);
    const { proxy, slow } = await startSlow(mailEnv(servers.smtp), servers.a.database);
    try {
      const held = proxy.holdNext('delete', 'form_images');
      const late = slow.admin.put(path(app), { theme: null }).then(({ status }) => status);
      const forward = await held;
      await servers.a.db.collection('apps').updateOne({ sourceAppId: app }, { $set: { form: before?.form } });
      await untilDatabaseTime(servers.a, Date.now() + 3_000);
      await forward();
      await late;
      expect(await bytesOf(app)).toEqual([RED]);
    } finally {
      await slow.close();
    }
  });

  it.each([
    ['the same', LOGO],
    ['another', dataUrl('png', BLUE)],
  ])('of %s logo outlast a replacement that takes them away meanwhile', { tags: 'long' }, async (_, logo) => {
    const app = await appWith({ logo: LOGO });
    const { proxy, slow } = await startSlow(mailEnv(servers.smtp), servers.a.database);
    try {
      const held = proxy.holdNext('findAndModify', 'apps');
      const late = slow.admin.put(path(app), { theme: { logo } }).then((answer) => answer);
      const forward = await held;
      await put(app, null).expect(200);
      expect((await servers.b.admin.get(path(app)).expect(200)).body.theme).toBeUndefined();
      await forward();
      expect((await late).status).toBe(200);
      expect((await servers.b.admin.get(path(app)).expect(200)).body.theme).toEqual({ logo });
      expect(await stored(app)).toHaveLength(1);
      const file = await servers.b.client
        .get(await addressOf(app, 'logo'))
        .buffer()
        .expect(200);
      expect(dataUrl('png', file.body)).toBe(logo);
    } finally {
      await slow.close();
    }
  });
});
