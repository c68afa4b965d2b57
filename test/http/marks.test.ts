import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';

const TERMS = 'I accept **the** [terms](https://x.example/t?a=1&b=2)';
const TERMS_TEXT = 'I accept the terms';
const LINK = 'href="https://x.example/t?a&#61;1&#38;b&#61;2" target="_blank" rel="noopener noreferrer"';
const TERMS_HTML = `I accept <strong>the</strong> <a ${LINK}>terms</a>`;
const HOSTILE = '<script>alert(1)</script> [x](javascript:alert(1)) **<b>**';
const HOSTILE_HTML = '&#60;script&#62;alert(1)&#60;/script&#62; [x](javascript:alert(1)) <strong>&#60;b&#62;</strong>';

let servers: MailServers;
let app: string;
let password: string;
beforeAll(async () => {
  servers = await startMailServers();
  const built = await servers.a.admin.buildApp({
    fields: [
      {
        key: 'name',
        label: 'Your **name**',
        kind: 'text',
        required: true,
        help: 'As *you* like',
        helps: { de: 'Wie *Sie* wollen' },
      },
      { key: 'terms', label: TERMS, labels: { de: 'Ich nehme **alles** an' }, kind: 'checkbox', required: true },
      { key: 'why', label: 'Why', kind: 'text', showIf: { all: [{ field: 'terms', op: 'eq', value: true }] } },
    ],
  });
  app = built.sourceAppId;
  password = built.password;
  const form = {
    title: 'A **title**',
    description: `Before\n${HOSTILE}`,
    thanks: 'See *you*',
    submitLabel: '**Send**',
    languages: ['de'],
    texts: { de: { title: '**Titel**', description: 'Ein **Text**', thanks: 'Bis *bald*' } },
    notify: { emails: ['team@example.com'], when: 'each' },
  };
  await servers.a.admin.put(`/auth/apps/${app}/form`, form).expect(200);
});
afterAll(() => servers.close());

const pageOf = async (path: string, status = 200): Promise<string> =>
  (await servers.b.client.get(path).expect(status)).text;

it('the page shows the signs of descriptions, helps and labels of checkboxes, and of no other text', async () => {
  const page = await pageOf(`/f/${app}`);
  expect(page).toContain(`<p class="text">Before\n${HOSTILE_HTML}</p>`);
  expect(page).toContain('As <em>you</em> like</p>');
  expect(page).toContain(`${TERMS_HTML} <span`);
  expect(page).toContain('>Your **name** <span');
  expect(page).toContain('<h1>A **title**</h1>');
  expect(page).toContain('>**Send**</button>');
  expect(page).toContain(`Only if ${TERMS_TEXT} is ticked`);
  expect(await pageOf(`/f/${app}/thanks`)).toContain('<p class="note good thanks">See <em>you</em></p>');
});

it('the texts of languages have them too', async () => {
  const page = await pageOf(`/f/${app}?lang=de`);
  expect(page).toContain('<p class="text">Ein <strong>Text</strong></p>');
  expect(page).toContain('Wie <em>Sie</em> wollen</p>');
  expect(page).toContain('Ich nehme <strong>alles</strong> an <span');
  expect(page).toContain('<h1>**Titel**</h1>');
  expect(await pageOf(`/f/${app}/thanks?lang=de`)).toContain('Bis <em>bald</em></p>');
});

it('a problem names a checkbox without signs', async () => {
  const answer = await servers.b.client
    .post(`/v1/forms/${app}`)
    .set('Accept', 'text/html')
    .type('form')
    .send({ email: 'a@example.com' });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(`>${TERMS_TEXT}: `);
});

it('JSON has the text as it was stored', async () => {
  const { body } = await servers.b.client.get(`/v1/forms/${app}`).expect(200);
  expect(body).toMatchObject({ title: 'A **title**', description: `Before\n${HOSTILE}`, thanks: 'See *you*' });
  expect(body.fields[0]).toMatchObject({ label: 'Your **name**', help: 'As *you* like' });
  expect(body.fields[1].label).toBe(TERMS);
  expect(body.fields[2].when.shown).toBe(`Only if ${TERMS_TEXT} is ticked`);
});

it('an email has the label of a checkbox with them in HTML, and with the address in plain text', async () => {
  await servers.b.client.submit(app, { email: 'b@example.com', data: { name: 'B', terms: true } }).expect(200);
  await expect.poll(() => servers.smtp.mails.length, { timeout: 30_000, interval: 20 }).toBe(1);
  const [mail] = servers.smtp.mails;
  expect(mail?.text).toContain('I accept the terms (https://x.example/t?a=1&b=2)\n    Yes');
  expect(mail?.html).toContain(TERMS_HTML);
  expect(mail?.text).toContain('Your **name**\n    B');
});

it('the header of a CSV file has the labels without signs', async () => {
  const operator = await new Client(servers.b.client.url).logIn(app, password);
  const { text } = await operator.get('/auth/users/export?format=csv&headers=labels').expect(200);
  expect(text.split('\r\n')[0]).toContain(`Your **name**,${TERMS_TEXT},Why`);
});
