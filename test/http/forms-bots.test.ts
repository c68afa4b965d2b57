import { beforeAll, describe, expect, it } from 'vitest';
import { type Entries, sendForm } from '../support/server/forms.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

async function appWith(settings: object): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp();
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}

const send = (app: string, entries: Entries = []) => sendForm(server.client, app, [['email', 'a@x.org'], ...entries]);

/** The numbers of stored and of held submissions of an app. */
async function countsOf(sourceAppId: string) {
  const app = await server.db.collection('apps').findOne({ sourceAppId });
  const count = (name: string) => server.db.collection(name).countDocuments({ appId: app?._id });
  return { stored: await count('users'), held: await count('held_submissions') };
}

describe('spec 4.5, forms of programs', () => {
  it.each(['_gotcha', '_honey', '_honeypot', 'botcheck', 'bot-field'])(
    'a filled %s is answered like a success, and held',
    async (name) => {
      const app = await appWith({});
      const { headers } = await send(app, [[name, 'x']]).expect(303);
      expect(headers.location).toBe(`/f/${app}/thanks`);
      expect(await countsOf(app)).toEqual({ stored: 0, held: 1 });
      await send(app, [[name, '']]).expect(303);
      expect(await countsOf(app)).toEqual({ stored: 1, held: 1 });
    },
  );

  it('a honeypot does not count where the protection is off', async () => {
    const app = await appWith({ botProtection: 'off' });
    await send(app, [['_gotcha', 'x']]).expect(303);
    expect(await countsOf(app)).toEqual({ stored: 1, held: 0 });
  });

  it('a form without a solution is held where one is required; JSON is refused', async () => {
    const app = await appWith({ botProtection: 'proof-of-work' });
    await send(app).expect(303);
    expect(await countsOf(app)).toEqual({ stored: 0, held: 1 });
    await server.client.post(`/v1/forms/${app}`, { email: 'b@x.org' }).expect(403);
    expect(await countsOf(app)).toEqual({ stored: 0, held: 1 });
  });

  it('a form that is held without a solution says that somebody reviews it; one with a honeypot does not', async () => {
    const app = await appWith({ botProtection: 'proof-of-work', thanks: 'You are in' });
    const { headers } = await send(app).expect(303);
    const held = await server.client.get(headers.location ?? '').expect(200);
    expect(held.text).toContain('Your entries will be checked before they are stored');
    expect(held.text).not.toContain('You are in');
    const trapped = await send(app, [['_gotcha', 'x']]).expect(303);
    expect(trapped.headers.location).toBe(`/f/${app}/thanks`);
    const { text } = await server.client.get(`/f/${app}/thanks`).expect(200);
    expect(text).toContain('You are in');
    // A page of the site is shown as after a success.
    await server.admin
      .put(`/auth/apps/${app}/form`, { botProtection: 'proof-of-work', next: 'https://site.example/done' })
      .expect(200);
    expect((await send(app).expect(303)).headers.location).toBe('https://site.example/done');
  });

  it('a wrong solution is 403 with the entries; an invalid form is refused before it is held', async () => {
    const app = await appWith({ botProtection: 'proof-of-work' });
    const { text } = await send(app, [
      ['altcha', 'wrong'],
      ['name', 'Ada'],
    ]).expect(403);
    expect(text).toContain('value="Ada"');
    await sendForm(server.client, app, [['email', 'nobody']]).expect(400);
    expect(await countsOf(app)).toEqual({ stored: 0, held: 0 });
  });

  it('a closed form is 403; its page is no form', async () => {
    const app = await appWith({ closesAt: '2020-01-01T00:00:00Z' });
    const { text } = await send(app).expect(403);
    expect(text).not.toContain('<form');
    expect(await countsOf(app)).toEqual({ stored: 0, held: 0 });
  });
});
