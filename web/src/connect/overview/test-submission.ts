import { type Challenge, canSolve, solve } from '../../../embed/proof-of-work.ts';
import { publicFields } from '../../schema-editor/draft/rules.ts';
import { reasonText, type Sent } from '../../texts/reasons.ts';
import { t } from '../../texts/texts.ts';
import type { ConnectedApp } from '../queries.ts';
import { publicSample } from '../snippets/code-snippets.ts';
import { submitUrl } from '../urls.ts';

/** The email of test submissions, by which people recognize their record. */
export const TEST_EMAIL = 'test-from-dashboard@example.com';

/** The result of a submission to the public endpoint. */
export type TestResult =
  | { state: 'stored'; id: string; updatedAt: string }
  | { state: 'refused'; message: string; issues: { path: string; message: string }[] };

/**
 * Why this page cannot send a test: only pages of forms show the challenge of a provider and take
 * files, and only https pages, and localhost, can compute a proof.
 */
export function whyNoTest({ stored: { settings }, schema }: Pick<ConnectedApp, 'stored' | 'schema'>) {
  if (settings.captcha) return 'challenge';
  if (publicFields(schema.fields).some(({ kind, required }) => kind === 'file' && required)) return 'file';
  return settings.botProtection === 'proof-of-work' && !canSolve() ? 'https' : undefined;
}

/** Submits example values through the public endpoint, without the session. @throws {Error} */
export async function submitTest({ sourceAppId, schema, stored }: ConnectedApp): Promise<TestResult> {
  const url = submitUrl(sourceAppId);
  const headers: Record<string, string> = { 'Content-Type': 'application/json', Accept: 'application/json' };
  if (stored.settings.botProtection === 'proof-of-work') {
    const challenge = await send(`${url}/challenge`, {});
    if (!challenge.ok) return refusalOf(challenge);
    headers['x-altcha'] = await solve(challenge.body as Challenge);
  }
  const body = JSON.stringify({ email: TEST_EMAIL, data: publicSample(schema) });
  const answer = await send(url, { method: 'POST', headers, body });
  if (!answer.ok) return refusalOf(answer);
  const { id, updatedAt } = answer.body as { id: string; updatedAt: string };
  return { state: 'stored', id, updatedAt };
}

interface Answer {
  ok: boolean;
  status: number;
  body: unknown;
}

async function send(url: string, options: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...options, credentials: 'omit' });
  return { ok: response.ok, status: response.status, body: await response.json().catch(() => ({})) };
}

function refusalOf({ status, body }: Answer): TestResult {
  const { errors = [], ...sent } = body as Partial<Sent> & { errors?: (Sent & { path: string })[] };
  const message = sent.message ? reasonText({ ...sent, message: sent.message }) : t.connect.liveTest.status(status);
  return { state: 'refused', message, issues: errors.map((one) => ({ path: one.path, message: reasonText(one) })) };
}
