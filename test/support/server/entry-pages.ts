import type { Test } from 'supertest';
import { parseUuid } from '../../../src/platform/database/ordered-ids.ts';
import { BROWSER, type Entries, TYPES, urlencoded } from './forms.ts';
import type { TestServer } from './server.ts';

const HOUR_MS = 3_600_000;

/** The path of a link to the entry of a record, as an email has it. */
export async function entryPath(
  server: TestServer,
  sourceAppId: string,
  recordId: string,
  validForMs = HOUR_MS,
): Promise<string> {
  const app = await server.db.collection('apps').findOne({ sourceAppId });
  const id = parseUuid(recordId);
  if (!app || !id) throw new Error('no such app or record');
  const token = server.services.entryTokens.issue(app._id, {
    recordId: id,
    expiresAt: new Date(Date.now() + validForMs),
  });
  return `/f/${sourceAppId}/entry/${token}`;
}

/** Presses a button of the page of an entry, as a browser does in which scripts are off. */
export function press(
  server: TestServer,
  path: string,
  entries: Entries = [],
  headers: Record<string, string> = {},
): Test {
  return server.client
    .post(path, urlencoded(entries))
    .serialize((given) => given)
    .set({
      'Content-Type': TYPES.urlencoded,
      Accept: BROWSER,
      Origin: 'null',
      'Sec-Fetch-Site': 'same-origin',
      ...headers,
    });
}
