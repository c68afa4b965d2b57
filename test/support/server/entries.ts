import { createLinkTokens } from '../../../src/features/notifications/link-tokens.ts';
import { parseUuid } from '../../../src/platform/database/ordered-ids.ts';
import type { TestServer } from './server.ts';

const DAY_MS = 86_400_000;

/** The settings of a server that plans emails with links. Nothing listens at its SMTP server. */
export const PLANS_MAILS = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'a@example.com',
  PUBLIC_URL: 'https://forms.example.com',
};

/** The tokens of links to entries, as servers of tests issue them. */
export const entryTokens = createLinkTokens('a secret of the tests', 'entry');

/** Issues the token of a link to a record under its present email. */
export async function entryToken(
  { db }: Pick<TestServer, 'db'>,
  id: string,
  expiresAt = new Date(Date.now() + DAY_MS),
): Promise<string> {
  const recordId = parseUuid(id) as never;
  const record = await db.collection('users').findOne({ _id: recordId });
  return entryTokens.issue(record?.appId, { recordId, expiresAt, emailChange: record?.emailChange });
}
