// @module-tag long

import { expect, it } from 'vitest';
import { visitAs } from '../support/browser/browser.ts';
import { holdJob } from '../support/database/held-job.ts';
import type { TestServer } from '../support/server/server.ts';
import { withServer } from './app-page.ts';

let server: TestServer;
withServer(
  (started) => {
    server = started;
  },
  { writesEndMs: 300 },
);

it('an index that is built is shown with how far it is, until it is ready', async () => {
  const plan = { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro', 'max'] } as const;
  const app = await server.admin.buildApp({ fields: [{ ...plan, enum: [...plan.enum] }] });
  for (const name of ['ada', 'alan', 'grace']) {
    await server.client.submit(app.sourceAppId, { email: `${name}@example.com`, data: { plan: 'pro' } }).expect(200);
  }
  const build = await holdJob(server, 'index-slots');
  await server.admin
    .putSchema(app.sourceAppId, { fields: [{ ...plan, enum: [...plan.enum], indexed: true }] })
    .expect(200);
  const { page, expectClean, close } = await visitAs(server, app, '/users');
  const status = page.getByRole('list', { name: 'Background work' });
  // Its records are not counted yet.
  await status.getByText('Building the index of Plan', { exact: true }).waitFor();
  await status.getByRole('progressbar', { name: 'Index of Plan' }).waitFor();
  await status.getByText('When the index is ready, filters and sorting by this field are fast.').waitFor();
  await build();
  await status.waitFor({ state: 'detached' });
  const { body } = await server.admin.get(`/auth/apps/${app.sourceAppId}/indexes`).expect(200);
  expect(body).toEqual([expect.objectContaining({ key: 'plan', state: 'ready' })]);
  expectClean();
  await close();
});
