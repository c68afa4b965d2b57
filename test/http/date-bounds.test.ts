import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { sendForm } from '../support/server/forms.ts';
import { runImport } from '../support/server/imports.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

/** Of these zones the first one has a later day than the second one, at any time. */
const EAST = 'Pacific/Kiritimati';
const WEST = 'Etc/GMT+12';

async function appOf(bounds: object, settings: object = {}): Promise<string> {
  const field = { key: 'day', kind: 'date', ...bounds } as FieldDefinitionInput;
  const { sourceAppId } = await server.admin.buildApp({ fields: [field] });
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}

const dayIn = (timeZone: string): string => new Date().toLocaleDateString('sv-SE', { timeZone });
const submit = (app: string, day: string, email = 'a@x.org') => server.client.submit(app, { email, data: { day } });
const stored = (app: string) => server.db.collection('users').find({ sourceAppId: app }).sort({ _id: 1 }).toArray();
const refusal = (code: string, params: object) => [{ path: 'data.day', code, params, message: expect.any(String) }];

describe('the bounds of a date', () => {
  it('hold for submissions, edits and imports', async () => {
    const app = await appOf({ earliest: '1900-01-01', latest: '2026-01-31' });
    const { body } = await submit(app, '2026-01-31T23:30:00-05:00').expect(200);
    const early = await submit(app, '1899-12-31').expect(400);
    expect(early.body.errors).toEqual(refusal('tooEarly', { min: '1900-01-01' }));
    const late = await submit(app, '2026-02-01').expect(400);
    expect(late.body.errors).toEqual(refusal('tooLate', { max: '2026-01-31' }));
    const edit = (day: string) => server.admin.patch(`/auth/users/${body.id}?sourceAppId=${app}`, { set: { day } });
    expect((await edit('0085-11-28').expect(400)).body.errors).toEqual(refusal('tooEarly', { min: '1900-01-01' }));
    await edit('1985-11-28').expect(200);
    const file = 'email,day\nb@x.org,0085-11-28\nc@x.org,28/11/1985\n';
    const { errors, created } = await runImport(server.admin, app, file, { dateFormat: 'DD/MM/YYYY' });
    expect([created, errors.map(({ line }) => line)]).toEqual([1, [2]]);
    expect((await stored(app)).map(({ data }) => data.day)).toEqual(['1985-11-28', '1985-11-28']);
  });

  it('have the day in the time zone of the form as today', async () => {
    const [east, west] = [
      await appOf({ earliest: 'today' }, { timeZone: EAST }),
      await appOf({ earliest: 'today' }, { timeZone: WEST }),
    ];
    await submit(west, dayIn(EAST)).expect(200);
    expect((await submit(east, dayIn(WEST)).expect(400)).body.errors).toMatchObject([{ code: 'tooEarly' }]);
    // The settings change without the schema.
    await server.admin.put(`/auth/apps/${east}/form`, { timeZone: WEST }).expect(200);
    await submit(east, dayIn(EAST)).expect(200);
  });

  it('are those of the controls, with the day of today', async () => {
    const app = await appOf({ earliest: '1900-01-01', latest: 'today' }, { timeZone: EAST });
    const attributesOf = async () =>
      (await server.client.get(`/v1/forms/${app}`).expect(200)).body.fields[0].attributes;
    const before = dayIn(EAST);
    const { max, ...others } = await attributesOf();
    expect(others).toEqual({ min: '1900-01-01' });
    expect([before, dayIn(EAST)]).toContain(max);
    expect((await server.client.get(`/f/${app}`).expect(200)).text).toMatch(
      /<input type="date"[^>]* max="\d{4}-\d\d-\d\d"/,
    );
    await server.admin.put(`/auth/apps/${app}/form`, { timeZone: WEST }).expect(200);
    expect((await attributesOf()).max < before).toBe(true);
    const { body: schema } = await server.admin.get(`/auth/apps/${app}/schema`).expect(200);
    expect(schema.fields[0]).toMatchObject({ earliest: '1900-01-01', latest: 'today' });
  });

  it('let a submission that was held be released on another day', async () => {
    const app = await appOf({ earliest: 'today' });
    await sendForm(
      server.client,
      app,
      [
        ['email', 'a@x.org'],
        ['day', '9999-12-31'],
        ['_gotcha', 'x'],
      ],
      'urlencoded',
    ).expect(303);
    const held = server.db.collection('held_submissions');
    const at = new Date(Date.now() - 5 * 86_400_000);
    const day = at.toISOString().slice(0, 10);
    await held.updateOne({ email: 'a@x.org', 'data.day': '9999-12-31' }, { $set: { at, 'data.day': day } });
    const { body } = await server.admin.get(`/auth/held?sourceAppId=${app}`).expect(200);
    await server.admin.post(`/auth/held/${body.held[0].id}/release?sourceAppId=${app}`).expect(200);
    expect((await stored(app)).map(({ data }) => data)).toEqual([{ day }]);
    await submit(app, day).expect(400);
  });
});

describe('a date of an HTML form', () => {
  const send = (app: string, day: string) =>
    sendForm(
      server.client,
      app,
      [
        ['email', 'a@x.org'],
        ['day', day],
      ],
      'urlencoded',
    ).set('Accept', 'application/json');

  it('is not of a year below 1000, which JSON may have, unless the field says so', async () => {
    const app = await appOf({ latest: '2026-01-31' });
    const { body } = await send(app, '0085-11-28').expect(400);
    expect(body.errors).toEqual(refusal('tooEarly', { min: '1000-01-01' }));
    await submit(app, '0085-11-28').expect(200);
    await send(app, '1985-11-28').expect(200);
    await send(await appOf({ earliest: '0085-11-28' }), '0085-11-28').expect(200);
  });

  it('is read from CSV as it is in JSON', async () => {
    const app = await appOf({});
    const { created } = await runImport(server.admin, app, 'email,day\nb@x.org,0085-11-28\n');
    expect(created).toBe(1);
  });
});
