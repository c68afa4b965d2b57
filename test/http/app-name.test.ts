import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinApp, tokenOf } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';

const POLL = { timeout: 20_000 };
const NAME = 'Club & <b>friends</b>';
const ESCAPED = 'Club &#38; &#60;b&#62;friends&#60;/b&#62;';

let servers: MailServers;
beforeAll(async () => {
  servers = await startMailServers();
});
afterAll(() => servers.close());

async function appNamed(settings: object) {
  const app = await servers.a.admin.buildApp();
  const { body } = await servers.a.admin.put(`/auth/apps/${app.sourceAppId}/form`, settings).expect(200);
  return { ...app, settings: body };
}
const subjects = (email: string) => servers.smtp.to(email).map((mail) => mail.header('subject'));

describe('the name of an app (spec 4.5.1)', () => {
  it('is one line of 1 to 80 characters, and absent while it is unset', async () => {
    const { sourceAppId, settings } = await appNamed({ name: '  Club\r\n of\t2026 ' });
    expect(settings.name).toBe('Club of 2026');
    const path = `/auth/apps/${sourceAppId}/form`;
    for (const name of ['x'.repeat(81), ' \n ', 7]) {
      const { body } = await servers.a.admin.put(path, { name }).expect(400);
      expect(body.errors.map((issue: { path: string }) => issue.path)).toEqual(['name']);
    }
    await servers.a.admin.put(path, { name: 'x'.repeat(80) }).expect(200);
    expect((await servers.b.admin.put(path, { name: null }).expect(200)).body).not.toHaveProperty('name');
  });

  it('is the heading and the title of every page of its form without a title', { tags: 'long' }, async () => {
    const { sourceAppId } = await appNamed({ name: NAME, texts: { de: { title: 'Verein' } }, languages: ['de'] });
    const { client } = servers.b;
    for (const path of [`/f/${sourceAppId}`, `/f/${sourceAppId}/thanks`]) {
      const { text } = await client.get(path).expect(200);
      expect(text).toContain(`<h1>${ESCAPED}</h1>`);
      expect(text).toContain(`<title>${ESCAPED}</title>`);
      expect((await client.get(`${path}?lang=de`).expect(200)).text).toContain('<h1>Verein</h1>');
    }
    expect((await client.get(`/v1/forms/${sourceAppId}`).expect(200)).body).toMatchObject({ name: NAME, title: null });
    const titled = await appNamed({ name: NAME, title: 'Join us' });
    expect((await client.get(`/f/${titled.sourceAppId}`).expect(200)).text).toContain('<h1>Join us</h1>');
    const unnamed = await appNamed({});
    expect((await client.get(`/v1/forms/${unnamed.sourceAppId}`).expect(200)).body).not.toHaveProperty('name');
  });

  it('is in emails to people and to operators, and on the pages of their links', async () => {
    const notify = { emails: [`team-${Date.now()}@example.com`], when: 'each' };
    const { sourceAppId } = await appNamed({ name: NAME, doubleOptIn: true, notify });
    const email = `ada-${sourceAppId}@example.com`;
    await servers.a.client.submit(sourceAppId, { email }).expect(200);
    await expect.poll(() => subjects(email), POLL).toEqual([`Confirm your email address: ${NAME}`]);
    await expect.poll(() => subjects(notify.emails[0] ?? ''), POLL).toEqual([`New entry: ${NAME}`]);
    const [, path = ''] = /https:\/\/forms\.example\.com(\/f\/\S+)/.exec(servers.smtp.to(email)[0]?.text ?? '') ?? [];
    expect((await servers.b.client.get(path).expect(200)).text).toContain(`<h1>${ESCAPED}</h1>`);
  });

  it('is in sessions, lists of apps and invitations', { tags: 'long' }, async () => {
    const app = await appNamed({ name: NAME });
    const { sourceAppId } = app;
    const operator = await new Client(servers.b.client.url).logIn(sourceAppId, app.password);
    expect((await operator.get('/auth/session').expect(200)).body).toEqual({ sourceAppId, name: NAME, role: 'user' });
    const { client } = await joinApp(servers.a, sourceAppId, 'manager');
    const { body } = await client.get('/auth/session').expect(200);
    expect(body.memberships).toEqual([{ sourceAppId, name: NAME, role: 'manager' }]);
    for (const query of ['', `?q=${sourceAppId}`, `?q=${encodeURIComponent('club & <B>')}`]) {
      const { body: listed } = await servers.a.admin.get(`/auth/apps${query}`).expect(200);
      const found = listed.apps.filter((one: { sourceAppId: string }) => one.sourceAppId === sourceAppId);
      expect(found).toMatchObject([{ sourceAppId, name: NAME }]);
    }
    const email = `bob-${sourceAppId}@example.com`;
    const path = `/auth/apps/${sourceAppId}/invitations`;
    const invitation = await servers.a.admin.post(path, { email, role: 'editor' }).expect(200);
    const preview = await servers.b.client
      .post('/auth/invitations/preview', { token: tokenOf(invitation.body.link) })
      .expect(200);
    expect(preview.body).toMatchObject({ sourceAppId, appName: NAME });
    await expect
      .poll(() => servers.smtp.to(email)[0]?.text, POLL)
      .toContain(`You are invited to work on the app ${NAME}, as editor.`);
    // Without a name nothing is there.
    await servers.a.admin.put(`/auth/apps/${sourceAppId}/form`, {}).expect(200);
    expect((await operator.get('/auth/session').expect(200)).body).toEqual({ sourceAppId, role: 'user' });
    const after = await client.get('/auth/session').expect(200);
    expect(after.body.memberships).toEqual([{ sourceAppId, role: 'manager' }]);
  });
});
