// npm run bench -- --flood: submissions to an app, and pages of its operator, while the operator of
// another app sends many reads of one form at once.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { logInCookie } from '../client.mjs';
import { percentiles } from './report.mjs';

const FLOODED = 'flooded';
const OTHER = 'other';
const RECORDS = 60_000;
const HELD = 1_000;
const HELD_BYTES = 8_000;
const EVENTS = 50_000;
const SUBMISSIONS = 400;
const SUBMISSIONS_PER_SECOND = 66;
const PAUSE_MS = 250;
const REST_MS = 4_000;
/** A session has at most 8 exports at once, an app 24. */
const SESSIONS = 3;
const FIELDS = [
  { key: 'a', label: 'A', kind: 'number' },
  { key: 'name', label: 'Name', kind: 'text', maxLength: 1_000 },
];

/** What the operator of the flooded app sends, and how many at once. */
const FORMS = {
  searches: { clients: 250, path: '/auth/users?where=email:contains:x&sort=data.a' },
  queries: { clients: 80, path: '/auth/users?where=data.name:contains:nobody&sort=data.a' },
  statistics: { clients: 80, path: '/auth/stats?days=365' },
  charts: { clients: 80, path: '/auth/users/breakdown?field=data.a' },
  'checks of the schema': {
    clients: 80,
    isByKey: true,
    path: `/auth/apps/${FLOODED}/schema/check`,
    body: { rejectUnknown: true, fields: [{ ...FIELDS[0], max: 10 }, FIELDS[1]] },
  },
  exports: { clients: 80, path: '/auth/users/export?where=data.name:eq:nobody' },
  'lists without parameters': { clients: 80, path: '/auth/users' },
  'held submissions': { clients: 80, path: '/auth/held?limit=200' },
  'audit events': { clients: 80, path: '/auth/audit?limit=200' },
};

if (!isMainThread) await flood(workerData);

/** Measures and resolves with the results and a Markdown table. */
export default async function measureFloods({ only, progress }) {
  const { withService } = await import('./fixture.mjs');
  return withService(progress, async ({ server, client }) => {
    const { cookies, key, operator } = await prepare(server.url, client.db(), progress);
    await beside(server.url, operator);
    const results = { idle: await beside(server.url, operator) };
    progress(`idle: ${JSON.stringify(results.idle)}`);
    for (const [name, form] of Object.entries(FORMS)) {
      if (only && !only.includes(name)) continue;
      const worker = new Worker(fileURLToPath(import.meta.url), {
        workerData: { url: server.url, cookies, key, ...form },
      });
      await sleep(1_000);
      const measured = await beside(server.url, operator);
      const statuses = await new Promise((resolve) => {
        worker.once('message', resolve);
        worker.postMessage('stop');
      });
      await worker.terminate();
      results[name] = { ...measured, clients: form.clients, statuses };
      progress(`${name}: ${JSON.stringify(results[name])}`);
      await sleep(REST_MS);
    }
    return { results, table: tableOf(results) };
  });
}

/**
 * Fills both apps; resolves with sessions and a key of the flooded one, and a session of the other.
 */
async function prepare(url, db, progress) {
  // Not loaded by the thread of the flood.
  const { createApp, storeRecords } = await import('./fixture.mjs');
  const schema = { rejectUnknown: false, fields: FIELDS };
  const { password } = await createApp(url, FLOODED, schema);
  const other = await createApp(url, OTHER, schema);
  progress(`storing ${RECORDS} records`);
  const dataOf = (mixed) => ({ a: mixed % RECORDS, name: 'n'.repeat(300) });
  await storeRecords(db, { app: FLOODED, schemaVersion: 2, records: RECORDS, dataOf });
  await storeOthers(db);
  const cookies = [];
  while (cookies.length < SESSIONS) cookies.push(await logInCookie(url, FLOODED, password));
  const named = { name: 'bench', scopes: ['schema:write'] };
  const { key } = await other.admin('POST', `/auth/keys?sourceAppId=${FLOODED}`, named);
  return { cookies, key, operator: await logInCookie(url, OTHER, other.password) };
}

/** Stores held submissions and audit events of the flooded app. */
async function storeOthers(db) {
  const { createOrderedIds } = await import('../../dist/platform/database/ordered-ids.js');
  const newId = createOrderedIds();
  const { _id: appId } = await db.collection('apps').findOne({ sourceAppId: FLOODED });
  const now = new Date();
  const expiresAt = new Date(now.getTime() + 86_400_000);
  const held = Array.from({ length: HELD }, (_, number) => ({
    _id: newId(now),
    appId,
    email: `held${number}@example.com`,
    data: { name: 'n'.repeat(HELD_BYTES) },
    reason: 'honeypot',
    schemaVersion: 2,
    at: now,
    expiresAt,
    size: HELD_BYTES,
  }));
  await db.collection('held_submissions').insertMany(held);
  const events = Array.from({ length: EVENTS }, () => ({
    _id: newId(now).toString(),
    at: now,
    action: 'users.listed',
    count: 1,
    actor: { kind: 'app', id: FLOODED, address: null },
    appId,
    sourceAppId: FLOODED,
    target: null,
    expiresAt,
  }));
  await db.collection('audit_events').insertMany(events, { ordered: false });
}

/**
 * Submissions at a fixed rate, and one page of an operator after the other, both of the other app.
 */
async function beside(url, cookie) {
  const agent = new Agent({ keepAlive: true });
  const submitted = [];
  const pending = [];
  let isOver = false;
  const pages = [];
  const reading = (async () => {
    for (let number = 0; !isOver; number += 1) {
      const path = number % 2 === 0 ? '/auth/users?limit=50&total=capped' : '/auth/stats';
      pages.push(await send(url, { path, cookie, agent }));
      await sleep(PAUSE_MS);
    }
  })();
  const startedAt = performance.now();
  for (let number = 0; number < SUBMISSIONS; number += 1) {
    await sleep(Math.max(0, startedAt + (number * 1_000) / SUBMISSIONS_PER_SECOND - performance.now()));
    const body = { email: `s${Math.random()}@example.com`, data: { name: 'Ada', a: 36 } };
    pending.push(send(url, { path: '/v1/users', app: OTHER, body, agent }).then((answer) => submitted.push(answer)));
  }
  await Promise.all(pending);
  isOver = true;
  await reading;
  agent.destroy();
  return { submissions: summary(submitted), pages: summary(pages) };
}

function summary(answers) {
  const refused = answers.filter(({ status }) => status !== 200).length;
  return { count: answers.length, refused, ...percentiles(answers.map(({ ms }) => ms)) };
}

/** Sends one request and reads the whole answer. */
function send(url, { method, path, cookie, key, app, body, agent }) {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const json = body && JSON.stringify(body);
    const headers = {
      ...(cookie && { cookie }),
      ...(key && { authorization: `Bearer ${key}` }),
      ...(app && { 'x-app-id': app }),
      ...(json && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
    };
    const sent = request(url + path, { method: method ?? (json ? 'POST' : 'GET'), headers, agent }, (response) => {
      response.resume().once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode, ms: performance.now() - startedAt }));
    });
    sent.once('error', reject);
    sent.end(json);
  });
}

/** In a thread of its own: keeps `clients` requests in flight until it is told to stop. */
async function flood({ url, cookies, key, clients, isByKey, path, body }) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const statuses = {};
  let isOver = false;
  parentPort.once('message', () => {
    isOver = true;
    parentPort.postMessage(statuses);
  });
  const repeat = async (caller) => {
    while (!isOver) {
      const status = await send(url, { path, body, ...caller, agent }).then(
        (answer) => answer.status,
        () => 'none',
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const callerOf = (index) => (isByKey ? { key } : { cookie: cookies[index % cookies.length] });
  await Promise.all(Array.from({ length: clients }, (_, index) => repeat(callerOf(index))));
}

function tableOf({ idle, ...floods }) {
  const cells = ({ submissions, pages }) =>
    `${submissions.refused} of ${submissions.count} | ${submissions.median} / ${submissions.p99} | ${pages.refused} of ${pages.count} | ${pages.median} / ${pages.max}`;
  return [
    '| Beside | Submissions refused | median / p99 ms | Pages refused | median / longest ms |',
    '|---|---|---|---|---|',
    `| nothing | ${cells(idle)} |`,
    ...Object.entries(floods).map(([name, flooded]) => `| ${flooded.clients} ${name} | ${cells(flooded)} |`),
  ].join('\n');
}
