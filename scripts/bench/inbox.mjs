// npm run bench -- --inbox: what it costs that an app keeps its submissions, and pages of an inbox
// of a million entries.
import { setTimeout as sleep } from 'node:timers/promises';
import { createOrderedIds } from '../../dist/platform/database/ordered-ids.js';
import { logIn } from '../client.mjs';
import { HOT_USERS, schema, submission } from './cases.mjs';
import { compareRates } from './events.mjs';
import { withService } from './fixture.mjs';
import { percentiles } from './report.mjs';

const APPS = ['plain', 'kept'];
const CONNECTIONS = [1, 8, 32];
const VALUES = { name: 'Ada Lovelace', age: 36, plan: 'pro', agreed: true };
const STEP = 10_000;
const PEOPLE = 50_000;
const DAY_MS = 24 * 3_600_000;
const DAYS = 80;

/** What operators read of an inbox. */
const READS = {
  all: '',
  'one person': '&where=email:eq:person77@example.com',
  'a month': `&from=${daysAgo(60)}&to=${daysAgo(30)}`,
  'a word': '&q=number999998',
};

/** Measures and resolves with the results and a Markdown table. */
export default async function measureInbox({ records, pages, rounds, seconds, progress }) {
  return withService(progress, async ({ server, client, admin }) => {
    const db = client.db();
    for (const app of APPS) {
      await admin('POST', '/auth/apps', { sourceAppId: app });
      await admin('PUT', `/auth/apps/${app}/schema`, schema);
    }
    const { password } = await admin('POST', '/auth/apps', { sourceAppId: 'inbox' });
    for (const app of ['kept', 'inbox']) await admin('PUT', `/auth/apps/${app}/history`, { submissions: true });
    let people = 0;
    const requests = {
      new: (app) => submission(app, `new${people++}@example.com`, VALUES),
      update: (app) =>
        submission(app, `hot${people++ % HOT_USERS}@example.com`, { ...VALUES, visits: [`page-${people}`] }),
    };
    const rates = {};
    for (const [name, request] of Object.entries(requests)) {
      for (const connections of CONNECTIONS) {
        const row = `${name}, ${connections} clients`;
        const rated = { server, apps: APPS, request, rounds, seconds, connections };
        rates[row] = await compareRates({ ...rated, progress: (line) => progress(`${row}, ${line}`) });
      }
    }
    await storeEntries(db, records, progress);
    while ((await db.collection('users').countDocuments({ 'outbox.0': { $exists: true } })) > 0) await sleep(500);
    const operator = await logIn(server.url, 'inbox', password);
    const reads = {};
    for (const [name, query] of Object.entries(READS)) {
      reads[name] = await readPages(operator, query, pages);
      progress(`${name}: ${JSON.stringify(reads[name])}`);
    }
    const results = { rates, records, reads };
    return { results, table: tableOf(results) };
  });
}

function daysAgo(days) {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Stores entries as the consumer of events does. */
async function storeEntries(db, records, progress) {
  const { _id: appId, sourceAppId } = await db.collection('apps').findOne({ sourceAppId: 'inbox' });
  const newId = createOrderedIds();
  const start = Date.now() - DAYS * DAY_MS;
  for (let from = 0; from < records; from += STEP) {
    const entries = Array.from({ length: Math.min(STEP, records - from) }, (_, offset) => {
      const number = from + offset;
      const at = new Date(start + (number * DAYS * DAY_MS) / records);
      const _id = newId(at);
      const email = `person${number % PEOPLE}@example.com`;
      const data = { ...VALUES, name: `Message number${number} of a person` };
      const own = { _id, appId, sourceAppId, email, s0: email, userId: _id, data, schemaVersion: 1, revision: 1 };
      return { ...own, createdAt: at, updatedAt: at, created: true };
    });
    await db.collection('submissions').insertMany(entries, { ordered: false });
    if (from % 100_000 === 0) progress(`${from} entries stored`);
  }
}

/** Reads pages one after the other, each by the cursor of the one before it. */
async function readPages(operator, query, pages) {
  const taken = [];
  let cursor = '';
  for (let page = 0; page < pages; page += 1) {
    const startedAt = performance.now();
    const { next } = await operator('GET', `/auth/submissions?limit=50${query}${cursor}`);
    taken.push(performance.now() - startedAt);
    cursor = next ? `&cursor=${next}` : '';
  }
  return percentiles(taken);
}

function tableOf({ rates, records, reads }) {
  const ratio = ({ plain, kept }) => `${Math.round(plain)} | ${Math.round(kept)} | ${(kept / plain).toFixed(2)}`;
  return [
    '| Case | Submissions/s | of an app that keeps them | Ratio |',
    '|---|---|---|---|',
    ...Object.entries(rates).map(([name, rate]) => `| ${name} | ${ratio(rate)} |`),
    '',
    `| Page of 50 of ${records} entries | median ms | p99 ms |`,
    '|---|---|---|',
    ...Object.entries(reads).map(([name, { median, p99 }]) => `| ${name} | ${median} | ${p99} |`),
  ].join('\n');
}
