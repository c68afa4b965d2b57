// @module-tag long

import { expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server/server.ts';
import { FIELDS, withUsersPage } from './users-page.ts';

/** A server that runs no jobs, so that a change waits for another one. */
async function startIdle(): Promise<TestServer> {
  const server = await startServer();
  await server.services.jobs.stop();
  return server;
}

const users = withUsersPage(FIELDS, startIdle);

it('a change of many people that has not ended is shown after a reload, and is stopped there', async () => {
  const { url } = users.server.listener;
  await users.submit('ada@example.com', { plan: 'free' });
  await users.submit('alan@example.com', { plan: 'free' });
  await users.logIn();
  await users.page.getByRole('button', { name: 'Edit in table' }).waitFor();
  expect(await users.page.getByText('Recent bulk changes').count()).toBe(0);
  const request = { data: { set: { plan: 'max' } }, headers: { origin: url }, failOnStatusCode: true };
  await users.page.request.patch(`${url}/auth/users?where=data.plan:eq:free&confirm=2`, request);
  await users.page.reload();
  const change = users.page.getByRole('list', { name: 'Recent bulk changes' }).getByRole('listitem');
  await change.getByText('Changing: 0 of 2 people').waitFor();
  expect(await change.getByRole('paragraph').first().innerText()).toContain('Plan: max');
  await change.getByText('You can leave this page: the change continues.').waitFor();
  await change.getByRole('progressbar', { name: 'Processed people' }).waitFor();
  await change.getByRole('button', { name: 'Stop' }).click();
  const runner = await startServer({}, users.server.database, { pollEveryMs: 100 });
  try {
    await change.getByText('Stopped after 0 of 2 people; 0 changed.').waitFor();
  } finally {
    await runner.close();
  }
});
