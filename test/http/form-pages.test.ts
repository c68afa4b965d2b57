import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedServer, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  server = await sharedServer();
  other = await startServer({}, server.database);
});
afterAll(() => other.close());

const ORIGIN = 'https://www.example.com';

async function formOf(settings: object = {}, fields: object[] = []) {
  const { sourceAppId } = await server.admin.buildApp({ fields: fields as never });
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}

describe('GET /f/:sourceAppId', () => {
  it('is a page under a strict policy, with the texts of the settings', async () => {
    const app = await formOf({ title: 'Come & see', description: '<b>bold</b>', submitLabel: 'Go', locale: 'ar' });
    const { text, headers } = await server.client
      .get(`/f/${app}`)
      .expect(200)
      .expect('Content-Type', /text\/html/);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
    expect(text).toContain('<html lang="ar" dir="rtl">');
    expect(text).toContain('<h1>Come &#38; see</h1>');
    expect(text).toContain('&#60;b&#62;bold&#60;/b&#62;');
    expect(text).toContain('<button>Go</button>');
    expect(text).not.toMatch(/\sstyle=|\son\w+=|<style|<script>/);
  });

  it('has the texts of its script in the language of the visitor, whoever asked before', async () => {
    const fields = [
      { key: 'name', kind: 'text' },
      { key: 'note', kind: 'text', page: 2 },
    ];
    const pages = [{ page: 2, title: 'Note', description: '**All** of it', descriptions: { de: 'Alles' } }];
    const app = await formOf({ languages: ['de'], pages }, fields);
    const pageIn = async (lang: string) => (await server.client.get(`/f/${app}?lang=${lang}`).expect(200)).text;
    const [english, german] = [await pageIn('en'), await pageIn('de')];
    expect(english).toMatch(/data-steps="[^"]*&#34;nextPage&#34;:&#34;Next&#34;/);
    expect(german).toMatch(/data-steps="[^"]*&#34;nextPage&#34;:&#34;Weiter&#34;/);
    expect(english).toMatch(/data-page="[^"]*Start again/);
    expect(german).toMatch(/data-page="[^"]*Neu beginnen/);
    expect(english).toContain('<p class="text" part="page-description"><strong>All</strong> of it</p>');
    expect(german).toContain('part="page-description">Alles</p>');
    expect((await server.client.get(`/v1/forms/${app}?lang=de`).expect(200)).body.pages).toEqual([
      { page: 2, title: 'Note', description: 'Alles' },
    ]);
  });

  it('has another idempotency key in each view', { tags: 'long' }, async () => {
    const app = await formOf();
    const keyIn = async () =>
      /name="_key" value="([0-9a-f-]{36})"/.exec((await server.client.get(`/f/${app}`)).text)?.[1];
    const [first, second] = [await keyIn(), await keyIn()];
    expect(first).toBeDefined();
    expect(second).not.toBe(first);
  });

  it('answers an unknown app and an id of a wrong form with a page and 404', async () => {
    for (const path of ['/f/nobody', '/f/nobody/thanks', '/f/%3Cscript%3E']) {
      const { text } = await server.client
        .get(path)
        .expect(404)
        .expect('Content-Type', /text\/html/);
      expect(text).toContain('This form does not exist');
      expect(text).not.toContain('script>');
    }
  });

  it('fills fields that allow it from the query, and sources from the page', async () => {
    const app = await formOf({}, [
      { key: 'name', kind: 'text', prefill: true },
      { key: 'secret', kind: 'text' },
      { key: 'terms', kind: 'checkbox', prefill: true },
      { key: 'plan', kind: 'select', enum: ['free', 'pro'], prefill: true, default: 'free' },
      { key: 'campaign', kind: 'text', source: 'utm_campaign', maxLength: 5 },
      { key: 'referrer', kind: 'text', source: 'referrer' },
      { key: 'page', kind: 'text', source: 'page' },
    ]);
    const path = `/f/${app}?name=%22Ada%22&secret=x1y2&terms=true&plan=pro&utm_campaign=spring-sale&email=a%40b.co`;
    const { text } = await server.client.get(path).set('Referer', 'https://news.example/?a=1&b=2').expect(200);
    expect(text).toMatch(/name="data\[name\]"[^>]* value="&#34;Ada&#34;"/);
    expect(text).not.toMatch(/name="(?:data\[secret\]|email)"[^>]* value=/);
    expect(text).toMatch(/name="data\[terms\]" value="true" checked/);
    expect(text).toContain('<option value="pro" selected>');
    expect(text).toContain('<input type="hidden" name="data[campaign]" value="sprin">');
    expect(text).toContain('name="data[referrer]" value="https://news.example/?a&#61;1&#38;b&#61;2"');
    expect(text).toContain(`name="data[page]" value="${server.listener.url}/f/${app}?name&#61;%22Ada%22`);
  });

  it('ignores a referrer that is no web address', async () => {
    const app = await formOf({}, [{ key: 'referrer', kind: 'text', source: 'referrer' }]);
    const { text } = await server.client.get(`/f/${app}`).set('Referer', 'javascript:alert(1)').expect(200);
    expect(text).not.toContain('javascript:');
  });

  it('says that a form is closed, on every server once the settings are answered', async () => {
    const app = await formOf();
    expect((await other.client.get(`/f/${app}`)).text).toContain('<form');
    await server.admin.put(`/auth/apps/${app}/form`, { closesAt: '2020-01-01T00:00:00Z' }).expect(200);
    const { text } = await other.client.get(`/f/${app}`).expect(200);
    expect(text).toContain('This form is closed');
    expect(text).not.toContain('<form');
  });

  it('has a field for programs unless the app wants none', async () => {
    expect((await server.client.get(`/f/${await formOf()}`)).text).toContain('name="_gotcha"');
    expect((await server.client.get(`/f/${await formOf({ botProtection: 'off' })}`)).text).not.toContain('_gotcha');
  });

  it('cannot be opened by a script of another origin', () =>
    server.client.get('/f/x').set('Origin', ORIGIN).expect(403));
});

it('GET /f/:sourceAppId/thanks shows the text of the settings', async () => {
  const app = await formOf({ thanks: 'See you <there>' });
  const { text } = await server.client.get(`/f/${app}/thanks`).expect(200);
  expect(text).toContain('See you &#60;there&#62;');
});

describe('GET /v1/forms/:sourceAppId', () => {
  it('is the form as data, revalidated with its ETag', async () => {
    const app = await formOf({ title: 'News', botProtection: 'proof-of-work', next: `${ORIGIN}/thanks` }, [
      { key: 'age', label: 'Age', kind: 'number', min: 18 },
    ]);
    const { body, headers } = await server.client.get(`/v1/forms/${app}`).expect(200);
    expect(body).toMatchObject({
      sourceAppId: app,
      title: 'News',
      submitLabel: null,
      next: `${ORIGIN}/thanks`,
      lang: 'en',
      dir: 'ltr',
      closed: false,
      honeypot: true,
      proofOfWork: true,
      fields: [{ key: 'age', type: 'number', label: 'Age', attributes: { min: 18 } }],
    });
    const again = () => server.client.get(`/v1/forms/${app}`).set('If-None-Match', headers.etag ?? '');
    await again().expect(304);
    await server.admin.put(`/auth/apps/${app}/form`, { title: 'Other' }).expect(200);
    await again().expect(200);
  });

  it('is readable for the origins of the app only', async () => {
    const app = await formOf({ origins: [ORIGIN] });
    await server.client.get(`/v1/forms/${app}`).set('Origin', 'https://other.example').expect(403);
    const { headers } = await server.client.get(`/v1/forms/${app}`).set('Origin', ORIGIN).expect(200);
    expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('is 404 for an unknown app', () =>
    server.client.get('/v1/forms/nobody').expect(404, { message: 'App not found', code: 'appNotFound' }));
});
