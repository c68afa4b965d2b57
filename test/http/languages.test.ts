import { beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUES, languageOf } from '../../src/platform/languages/languages.ts';
import { sendForm } from '../support/server/forms.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const FIELDS = [
  { key: 'age', label: 'Age', kind: 'number' as const, min: 1_500, labels: { de: 'Alter' }, helps: { de: 'In Tagen' } },
  { key: 'code', label: 'Code', kind: 'text' as const, maxLength: 2 },
  {
    key: 'plan',
    label: 'Plan',
    kind: 'select' as const,
    enum: ['free', 'pro'],
    enumLabels: { pro: 'Professional' },
    enumLabelsByLanguage: { de: { free: 'Kostenlos' }, pt: { free: 'Grátis' } },
  },
];
const SETTINGS = {
  title: 'Letter',
  description: 'For everybody',
  languages: ['en', 'de', 'pt-BR', 'ar'],
  texts: { de: { title: 'Rundbrief', submitLabel: 'Abonnieren' }, pt: { thanks: 'Até logo' } },
};

let server: TestServer;
let app: string;
beforeAll(async () => {
  server = await sharedServer();
  app = await appWith(SETTINGS);
});

async function appWith(settings: object): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields: FIELDS });
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}
const page = (path: string, accept = '') =>
  server.client.get(path).set('Accept-Language', accept).set('Accept', 'text/html');
const langOf = (text: string) => /<html lang="([^"]+)" dir="(\w+)">/.exec(text)?.slice(1).join(' ');
const JSON_ANSWER = { Accept: 'application/json' };

describe('the language of a form', () => {
  it.each([
    ['', '', 'en ltr'],
    ['', 'de-AT, en;q=0.8', 'de ltr'],
    ['', 'en;q=0.5, de;q=0.7, pt;q=0.6', 'de ltr'],
    ['', 'de;q=0, fr, pt;q=0.1', 'pt-BR ltr'],
    ['', 'fr, sv', 'en ltr'],
    ['', '*', 'en ltr'],
    ['', '<script>; q=x,,,;', 'en ltr'],
    ['', `${'fr-FR, '.repeat(200)}de`, 'en ltr'],
    ['?lang=ar', 'de', 'ar rtl'],
    ['?lang=PT-br', 'de', 'pt-BR ltr'],
    ['?_lang=de', 'ar', 'de ltr'],
    ['?lang=de-CH', '', 'de ltr'],
    ['?lang=fr', 'de', 'de ltr'],
    ['?lang=de&lang=ar', 'pt', 'pt-BR ltr'],
    ['?lang=', '', 'en ltr'],
  ])('with %j and Accept-Language %j is %s', async (query, accept, expected) => {
    const { text, headers } = await page(`/f/${app}${query}`, accept).expect(200);
    expect(langOf(text)).toBe(expected);
    expect(headers['content-language']).toBe(expected.split(' ')[0]);
    expect(headers.vary).toContain('Accept-Language');
  });

  it('is that of the app, whatever the browser prefers, when the app offers one', async () => {
    for (const [settings, expected] of [
      [{}, 'en ltr'],
      [{ locale: 'de' }, 'de ltr'],
      [{ locale: 'ar', languages: ['ar'] }, 'ar rtl'],
    ] as const) {
      const { text } = await page(`/f/${await appWith(settings)}?lang=fr`, 'fr').expect(200);
      expect(langOf(text)).toBe(expected);
      expect(text).not.toContain('name="_lang"');
    }
  });

  it.each([
    [{ languages: ['en', 'de'], locale: 'de' }, ['de', 'en'], 'de'],
    [{ languages: ['de', 'fr'] }, ['en', 'de', 'fr'], 'en'],
    [{ languages: ['de', 'fr'], locale: 'pt-BR' }, ['pt-BR', 'de', 'fr'], 'pt-BR'],
  ])(
    'is that of the texts of the app for everybody else, also when the others do not name it: %j',
    async (...given) => {
      const [settings, offered, own] = given;
      const sourceAppId = await appWith(settings);
      expect(langOf((await page(`/f/${sourceAppId}`, 'es')).text)).toBe(`${own} ltr`);
      expect(langOf((await page(`/f/${sourceAppId}`, `${own}, de;q=0.5`)).text)).toBe(`${own} ltr`);
      expect(langOf((await page(`/f/${sourceAppId}?lang=${own}`, 'de')).text)).toBe(`${own} ltr`);
      expect((await server.client.get(`/v1/forms/${sourceAppId}`)).body.languages).toEqual(offered);
    },
  );

  it('that the service does not have keeps English texts, marked as such', async () => {
    const { text } = await page(`/f/${await appWith({ locale: 'sv' })}`);
    expect(langOf(text)).toBe('sv ltr');
    expect(text).toContain('<button lang="en" dir="ltr">Send</button>');
  });

  it('of an unknown app is one of the service', async () => {
    const { text } = await page('/f/nobody', 'pl').expect(404);
    expect(langOf(text)).toBe('pl ltr');
    expect(text).toContain('Ten formularz nie istnieje');
  });
});

describe('texts', () => {
  it('of settings, fields and choices are in the language; a missing one is as it is without', async () => {
    const { text } = await page(`/f/${app}?lang=de`);
    for (const one of ['<h1>Rundbrief</h1>', 'For everybody', '<button>Abonnieren</button>', '>Alter', 'In Tagen']) {
      expect(text).toContain(one);
    }
    for (const one of ['>Kostenlos<', '>Professional<', '>E-Mail']) expect(text).toContain(one);
    const other = (await page(`/f/${app}?lang=pt-BR`)).text;
    for (const one of ['<h1>Letter</h1>', '>Grátis<', '>Age<', '>Enviar</button>']) expect(other).toContain(one);
    expect((await page(`/f/${app}/thanks?lang=pt-BR`)).text).toContain('Até logo');
  });

  it.each([...CATALOGUES.keys()])('of every page and answer exist in %s', async (tag) => {
    const own = await appWith({ languages: ['en', tag], origins: ['https://site.example'] });
    const { text: say } = languageOf(tag);
    const escaped = (text: string) => text.replaceAll("'", '&#39;');
    const lang = `?lang=${tag}`;
    expect((await page(`/f/${own}${lang}`)).text).toContain(`>${say('send')}</button>`);
    expect((await page(`/f/${own}/thanks${lang}`)).text).toContain(escaped(say('thanks')));
    expect((await page(`/f/${own}/thanks${lang}&held=1`)).text).toContain(escaped(say('thanksHeld')));
    expect((await page(`/f/${own}/confirm/x${lang}`).expect(404)).text).toContain(escaped(say('linkInvalid')));
    const refused = await sendForm(server.client, own, [
      ['email', 'nobody'],
      ['code', 'long'],
      ['age', '1'],
      ['_lang', tag],
    ]).expect(400);
    expect(langOf(refused.text)).toMatch(`${tag} `);
    for (const code of ['title400', 'text400'] as const) expect(refused.text).toContain(escaped(say(code)));
    const number = say('tooSmall', { min: 1_500 });
    for (const one of [say('notEmail'), say('tooLong', { max: 2 }), number])
      expect(refused.text).toContain(escaped(one));
    const english = [...refused.text.matchAll(/must (?:be|have)|Nothing was|Send the form/g)];
    expect(english.length > 0).toBe(tag === 'en');
    await server.admin.put(`/auth/apps/${own}/form`, { languages: ['en', tag], closesAt: '2020-01-01T00:00:00Z' });
    expect((await page(`/f/${own}${lang}`)).text).toContain(escaped(say('closedPage')));
  });

  it('are cached for each language', async () => {
    const many = Array.from({ length: 60 }, (_, index) => `c${index}`);
    const labels = { de: { c7: 'Sieben' }, ar: { c7: 'سبعة' } };
    const field = { key: 'one', kind: 'select' as const, enum: many, enumLabelsByLanguage: labels };
    const { sourceAppId } = await server.admin.buildApp({ fields: [field] });
    await server.admin.put(`/auth/apps/${sourceAppId}/form`, { languages: ['en', 'de', 'ar'] }).expect(200);
    for (const [tag, label] of [
      ['de', 'Sieben'],
      ['en', 'c7'],
      ['ar', 'سبعة'],
      ['de', 'Sieben'],
      ['en', 'c7'],
    ] as [string, string][]) {
      expect((await page(`/f/${sourceAppId}?lang=${tag}`)).text).toContain(`<option value="c7">${label}</option>`);
    }
  });
});

describe('a submission', () => {
  it('is answered in the language of its page', async () => {
    const { text } = await page(`/f/${app}?lang=de`, 'ar');
    expect(text).toContain('<input type="hidden" name="_lang" value="de">');
    expect(text).toContain(`data-thanks="/f/${app}/thanks?lang&#61;de"`);
    const { headers } = await sendForm(server.client, app, [
      ['email', 'ada@example.com'],
      ['_lang', 'de'],
    ])
      .set('Accept-Language', 'ar')
      .expect(303);
    expect(headers.location).toBe(`/f/${app}/thanks?lang=de`);
    const plain = await sendForm(server.client, app, [['email', 'bob@example.com']]).set('Accept-Language', 'ar');
    expect(plain.headers.location).toBe(`/f/${app}/thanks`);
    const refused = await sendForm(server.client, app, [
      ['email', 'x'],
      ['_lang', 'de'],
    ]).expect(400);
    expect(refused.text.match(/name="_lang"/g)).toHaveLength(1);
    const stored = await server.db.collection('users').findOne({ email: 'ada@example.com', sourceAppId: app });
    expect(stored?.data).toEqual({});
  });

  it('has stable codes and values of its problems, with messages in the language', async () => {
    const entries = [
      ['email', 'x'],
      ['age', '3'],
      ['code', 'abc'],
      ['plan', 'gold'],
      ['_error', 'javascript:x'],
    ] as [string, string][];
    const { body, headers } = await sendForm(server.client, `${app}?lang=de`, entries.slice(0, 4))
      .set(JSON_ANSWER)
      .expect(400);
    expect(body).toEqual({
      message: 'Ihre Angaben enthalten einen Fehler',
      code: 'invalidSubmission',
      errors: [
        { path: 'email', code: 'notEmail', message: 'Muss eine E-Mail-Adresse sein' },
        { path: 'data.age', code: 'tooSmall', params: { min: 1500 }, message: 'Muss mindestens 1.500 sein' },
        { path: 'data.code', code: 'tooLong', params: { max: 2 }, message: 'Darf höchstens 2 Zeichen haben' },
        { path: 'data.plan', code: 'notChoice', message: 'Bitte einen der vorgegebenen Werte wählen' },
      ],
    });
    expect(headers['content-language']).toBe('de');
    const english = await sendForm(server.client, app, entries).set(JSON_ANSWER).expect(400);
    expect(english.body.message).toBe('Invalid submission');
    expect(english.body.errors).toEqual([{ path: '_error', code: 'redirect', message: expect.any(String) }]);
  });

  it('as JSON has codes too, also for what no rule of the service names', async () => {
    const post = (body: object) =>
      server.client
        .post(`/v1/forms/${app}`, body)
        .set({ ...JSON_ANSWER, 'Accept-Language': 'de' })
        .expect(400);
    expect((await post({ email: 1, more: 2, data: 3 })).body.errors).toEqual([
      { path: 'email', code: 'notText', message: 'Muss ein Text sein' },
      { path: 'data', code: 'notObject', message: 'Muss ein Objekt sein' },
      { path: 'more', code: 'unknownProperty', message: 'Ist keine bekannte Eigenschaft' },
    ]);
    expect((await post([])).body.errors).toEqual([{ path: '', code: 'invalid', message: 'Ist ungültig' }]);
  });

  it('to /v1/users is answered as before: in English', async () => {
    const { body, headers } = await server.client
      .submit(app, { email: 'x', data: { age: 3, code: 'abc' } })
      .set('Accept-Language', 'de')
      .expect(400);
    expect(body).toEqual({
      message: 'Invalid submission',
      code: 'invalidSubmission',
      errors: [
        { path: 'email', message: 'must be an email address', code: 'notEmail' },
        { path: 'data.age', message: 'must be at least 1500', code: 'tooSmall', params: { min: 1500 } },
        { path: 'data.code', message: 'must have at most 2 characters', code: 'tooLong', params: { max: 2 } },
      ],
    });
    expect(headers).not.toHaveProperty('content-language');
    expect(headers.vary ?? '').not.toContain('Accept-Language');
  });

  it('that is refused for another reason says so in the language', async () => {
    const closed = await appWith({ languages: ['de', 'ja'], closesAt: '2020-01-01T00:00:00Z' });
    const send = (lang: string) => sendForm(server.client, `${closed}?lang=${lang}`, [['email', 'a@x.org']]);
    expect((await send('de').set(JSON_ANSWER).expect(403)).body.message).toBe('Dieses Formular ist geschlossen');
    expect((await send('ja').expect(403)).text).toContain('このフォームは受付を終了しました');
    const nobody = server.client.get('/v1/forms/nobody').set({ ...JSON_ANSWER, 'Accept-Language': 'fr' });
    expect((await nobody.expect(404)).body).toEqual({ message: 'Ce formulaire n’existe pas', code: 'appNotFound' });
    const challenge = server.client.get('/v1/forms/nobody/challenge?lang=es').set(JSON_ANSWER);
    expect((await challenge.expect(404)).body).toEqual({ message: 'Este formulario no existe', code: 'appNotFound' });
  });

  it('keeps the label of a consent that the person saw', async () => {
    const terms = { key: 'terms', kind: 'checkbox' as const, label: 'I agree', consent: { version: '1' } };
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ ...terms, labels: { de: 'Ich stimme zu' } }] });
    await server.admin.put(`/auth/apps/${sourceAppId}/form`, { languages: ['en', 'de'] }).expect(200);
    for (const [email, lang, label] of [
      ['en@x.org', 'en', 'I agree'],
      ['de@x.org', 'de', 'Ich stimme zu'],
    ] as const) {
      await sendForm(server.client, sourceAppId, [
        ['email', email],
        ['terms', 'on'],
        ['_lang', lang],
      ]).expect(303);
      const stored = await server.db.collection('users').findOne({ email, sourceAppId });
      expect(stored?.consents).toMatchObject([{ key: 'terms', given: true, label }]);
    }
  });
});

describe('the form as data', () => {
  it('has the texts of the language, and another ETag for each', async () => {
    const get = (lang: string, etag = '') =>
      server.client.get(`/v1/forms/${app}?lang=${lang}`).set('If-None-Match', etag);
    const german = await get('de').expect(200);
    expect(german.body).toMatchObject({
      lang: 'de',
      dir: 'ltr',
      languages: ['en', 'de', 'pt-BR', 'ar'],
      title: 'Rundbrief',
      submitLabel: 'Abonnieren',
      texts: { send: 'Senden', email: 'E-Mail' },
    });
    expect(german.body.fields[0]).toMatchObject({ label: 'Alter', help: 'In Tagen' });
    const arabic = await get('ar').expect(200);
    expect(arabic.body).toMatchObject({ lang: 'ar', dir: 'rtl', texts: { send: 'إرسال' } });
    expect(arabic.headers.vary).toContain('Accept-Language');
    const etag = german.headers.etag ?? '';
    await get('de', etag).expect(304);
    await get('ar', etag).expect(200);
  });
});

it('two languages that are served in parallel never mix', async () => {
  const tags = ['de', 'ar', 'en'];
  /** What only one of the three languages has. */
  const codes = ['send', 'title400', 'text400', 'notEmail', 'notNumber'] as const;
  const own = Object.fromEntries(tags.map((tag) => [tag, codes.map((code) => languageOf(tag).text(code))]));
  const requests = Array.from({ length: 60 }, (_, index) => tags[index % tags.length] ?? '');
  await Promise.all(
    requests.map(async (tag, index) => {
      const asked: [string, string][] = index % 2 ? [['_lang', tag]] : [];
      const entries: [string, string][] = [['email', 'x'], ['age', 'y'], ...asked];
      const { text } = await sendForm(server.client, app, entries)
        .set('Accept-Language', index % 2 ? 'pt' : tag)
        .expect(400);
      expect(langOf(text)).toMatch(`${tag} `);
      const title = tag === 'de' ? 'Abonnieren' : own[tag]?.[0];
      for (const one of [title, ...(own[tag]?.slice(1) ?? [])])
        expect(text.toLowerCase()).toContain(one?.toLowerCase());
      for (const other of tags.filter((one) => one !== tag)) {
        for (const one of own[other]?.slice(1) ?? []) expect(text.toLowerCase()).not.toContain(one.toLowerCase());
      }
    }),
  );
});

describe('settings and schemas', () => {
  it.each([
    [{ languages: ['DE'] }, 'languages.0'],
    [{ languages: ['de_DE'] }, 'languages.0'],
    [{ languages: Array.from({ length: 21 }, (_, index) => `en-${String.fromCharCode(65 + index)}A`) }, 'languages'],
    [{ texts: { german: { title: 'x' } } }, undefined],
    [{ texts: { 'pt-br': { title: 'x' } } }, 'texts'],
    [{ texts: { de: { title: 'x'.repeat(201) } } }, 'texts.de.title'],
    [{ texts: { de: { titel: 'x' } } }, 'texts.de.titel'],
    [{ texts: { de: { title: '' } } }, 'texts.de.title'],
  ])('%j is refused at %s', async (settings, path) => {
    const own = await appWith({});
    const { body, status } = await server.admin.put(`/auth/apps/${own}/form`, settings);
    expect([status, body.errors?.[0]?.path]).toEqual(path === undefined ? [200, undefined] : [400, path]);
  });

  it('are returned as they were sent, without what is empty', async () => {
    const own = await appWith({
      languages: ['de', 'de', 'en'],
      texts: { de: { title: 'T' }, fr: {}, en: { title: null } },
    });
    const { body } = await server.admin.get(`/auth/apps/${own}/form`).expect(200);
    expect(body).toMatchObject({ languages: ['de', 'en'], texts: { de: { title: 'T' } } });
    expect(Object.keys(body.texts)).toEqual(['de']);
    const { body: unset } = await server.admin.put(`/auth/apps/${own}/form`, { languages: [], texts: {} }).expect(200);
    expect(unset).not.toHaveProperty('languages');
    expect(unset).not.toHaveProperty('texts');
  });

  it.each([
    [{ labels: { de: 'x'.repeat(201) } }, 'fields.0.labels.de'],
    [{ labels: { DE: 'x' } }, 'fields.0.labels'],
    [{ helps: { de: 'x'.repeat(501) } }, 'fields.0.helps.de'],
    [{ enumLabelsByLanguage: { de: { other: 'x' } } }, 'fields.0.enumLabelsByLanguage.de'],
    [{ enumLabelsByLanguage: { de: { a: 'x'.repeat(201) } } }, 'fields.0.enumLabelsByLanguage.de.a'],
  ])('a field with %j is refused at %s', async (options, path) => {
    const field = { key: 'f', kind: 'select', enum: ['a'], ...options };
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.admin
      .put(`/auth/apps/${sourceAppId}/schema`, { rejectUnknown: false, fields: [field] })
      .expect(400);
    expect(body.errors).toMatchObject([{ path }]);
  });
});
