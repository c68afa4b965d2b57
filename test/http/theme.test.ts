import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';

const POLL = { timeout: 20_000 };
const THEME = { accent: '#ffe600', scheme: 'dark', font: 'serif', corners: 'round' };
const LINK = /\n<link rel="stylesheet" href="(\/embed\/theme\.css[^"]*)">/;

let servers: MailServers;
beforeAll(async () => {
  servers = await startMailServers();
});
afterAll(() => servers.close());

const path = (sourceAppId: string) => `/auth/apps/${sourceAppId}/form`;

async function appWith(settings: object) {
  const app = await servers.a.admin.buildApp();
  await servers.a.admin.put(path(app.sourceAppId), settings).expect(200);
  return app.sourceAppId;
}

const page = (address: string) => servers.b.client.get(address).set('Accept', 'text/html');

/** The address of the style sheet that a page names. */
const styleOf = (text: string) => LINK.exec(text)?.[1]?.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code));

describe('the theme of an app (spec 4.5.1)', () => {
  it('is answered as it is set, and absent without a member', { tags: 'long' }, async () => {
    const sourceAppId = await appWith({});
    const put = (theme: unknown) => servers.a.admin.put(path(sourceAppId), { theme });
    expect((await put({ ...THEME, accent: '#FFE600' }).expect(200)).body.theme).toEqual(THEME);
    const { body } = await servers.b.admin.get(path(sourceAppId)).expect(200);
    expect(body.theme).toEqual(THEME);
    expect((await servers.b.admin.put(path(sourceAppId), body).expect(200)).body.theme).toEqual(THEME);
    expect((await put({ font: 'mono', accent: null }).expect(200)).body.theme).toEqual({ font: 'mono' });
    for (const theme of [{}, { accent: null }, null]) expect((await put(theme).expect(200)).body.theme).toBeUndefined();
  });

  it('is refused at the member that is wrong, with its code', async () => {
    const sourceAppId = await appWith({});
    const wrong = {
      accent: [
        ['red', 'notColor'],
        ['#fff', 'notColor'],
        ['#1f5fd6;', 'notColor'],
        [7, 'notText'],
      ],
      scheme: [['night', 'notThis']],
      font: [['Comic Sans', 'notThis']],
      corners: [[true, 'notThis']],
    };
    for (const [name, cases] of Object.entries(wrong)) {
      for (const [value, code] of cases) {
        const { body } = await servers.a.admin.put(path(sourceAppId), { theme: { [name]: value } }).expect(400);
        expect(body.errors).toMatchObject([{ path: `theme.${name}`, code }]);
      }
    }
    await servers.a.admin.put(path(sourceAppId), { theme: { color: 'x' } }).expect(400);
  });

  it('is a style sheet of every page, under the same policy and without a style attribute', {
    tags: 'long',
  }, async () => {
    const sourceAppId = await appWith({ theme: THEME, doubleOptIn: true });
    const plain = await appWith({ doubleOptIn: true });
    const refused = `data[unknown]=1&email=no`;
    for (const at of ['', '/thanks', '/confirm/none']) {
      const [themed, other] = [await page(`/f/${sourceAppId}${at}`), await page(`/f/${plain}${at}`)];
      expect(styleOf(themed.text)).toBe('/embed/theme.css?accent=ffe600&scheme=dark&font=serif&corners=round');
      expect(themed.text).toContain('<meta name="color-scheme" content="dark">');
      expect(themed.text).not.toContain('style=');
      expect(themed.headers['content-security-policy']).toBe(other.headers['content-security-policy']);
      // Without a theme the page is the same but for its link.
      expect(other.text).not.toContain('theme');
      const without = themed.text.replace(LINK, '').replace('content="dark"', 'content="light dark"');
      const same = (text: string, id: string) => text.replaceAll(id, 'app').replaceAll(/[0-9a-f-]{36}/g, 'key');
      expect(same(without, sourceAppId)).toBe(same(other.text, plain));
    }
    const form = (body: string, type = 'application/x-www-form-urlencoded') =>
      servers.b.client.post(`/v1/forms/${sourceAppId}`, body).set('Accept', 'text/html').set('Content-Type', type);
    expect(styleOf((await form(refused).expect(400)).text)).toBeDefined();
    // A page without the form.
    const { text } = await form('{}', 'text/plain').expect(400);
    expect(text).not.toContain('<form');
    expect(styleOf(text)).toBeDefined();
    await servers.a.admin.put(path(sourceAppId), { theme: THEME, closesAt: '2020-01-01T00:00:00Z' }).expect(200);
    expect(styleOf((await page(`/f/${sourceAppId}`).expect(200)).text)).toBeDefined();
  });

  it('is a style sheet with an ETag, and 404 for what is no theme', async () => {
    const address = '/embed/theme.css?accent=ffe600&font=serif';
    const { client } = servers.b;
    const { headers, text } = await client.get(address).expect(200);
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    expect(headers['cache-control']).toContain('max-age=');
    expect(text).toContain('light-dark(');
    expect(text).toContain('Georgia');
    await client
      .get(address)
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
    expect((await client.get('/embed/theme.css?font=mono').expect(200)).headers.etag).not.toBe(headers.etag);
    for (const query of ['accent=red', 'font=a', 'accent=ffe600&accent=ffe600', 'logo=1']) {
      await client.get(`/embed/theme.css?${query}`).expect(404);
    }
  });

  it('is in the form as data, and in force on every server when the PUT has answered', async () => {
    const sourceAppId = await appWith({});
    const definition = async () => (await servers.b.client.get(`/v1/forms/${sourceAppId}`).expect(200)).body;
    expect(await definition()).not.toHaveProperty('style');
    for (const accent of ['#112233', '#ffe600', '#aa0000']) {
      await servers.a.admin.put(path(sourceAppId), { theme: { accent, scheme: 'light' } }).expect(200);
      const { text } = await page(`/f/${sourceAppId}`).expect(200);
      const { text: css } = await servers.b.client.get(styleOf(text) ?? '').expect(200);
      expect((await definition()).style).toBe(css);
      if (accent !== '#ffe600') expect(css).toContain(accent);
    }
  });

  it('colors the button of emails to people', { tags: 'long' }, async () => {
    const of = async (theme?: object) => {
      const sourceAppId = await appWith({ doubleOptIn: true, ...(theme && { theme }) });
      const email = `ada-${sourceAppId}@example.com`;
      await servers.a.client.submit(sourceAppId, { email }).expect(200);
      await expect.poll(() => servers.smtp.to(email).length, POLL).toBe(1);
      return servers.smtp.to(email)[0]?.html ?? '';
    };
    expect(await of({ accent: '#aa0000' })).toContain('background:#aa0000;color:#ffffff');
    expect(await of({ accent: '#ff8800', scheme: 'dark' })).toMatch(/background:#(?!ff8800)[0-9a-f]{6};color:#000000/);
    expect(await of({ font: 'mono' })).toContain('background:#1f5fd6;color:#ffffff');
    expect(await of()).toContain('background:#1f5fd6;color:#ffffff');
  });
});
