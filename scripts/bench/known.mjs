// npm run bench -- --known: the times of public answers for new and for known emails, where an app
// hides which is which: to submissions, and to requests for a link to the own entry. The medians of
// each pair should differ by less than 10 %.

import { MongoClient } from 'mongodb';
import { createApp, startService, storeRecords } from './fixture.mjs';
import { startReplicaSet, startStandalone } from './mongods.mjs';
import { stopServer } from './processes.mjs';
import { median, round, table } from './report.mjs';

const WARM_UP = 10;
const SCHEMA = { rejectUnknown: true, fields: [{ key: 'name', kind: 'text' }] };
const SETTINGS = {
  keep: { existing: 'keep' },
  confirm: { existing: 'confirm' },
  'no receipt': { receipt: false },
  'entry link': { own: {} },
};
/** Nothing listens there: emails are planned and not sent. */
const PORT = '43817';
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'bench@example.com' };
const ENV = { ...MAIL, PORT, PUBLIC_URL: `http://localhost:${PORT}` };

/** @param options.rounds the answers of each kind, 40 in the specification */
export default async function measureKnown({ rounds, progress }) {
  const rows = [];
  for (const [database, start] of [
    ['standalone', () => startStandalone(progress)],
    ['replica set', () => startReplicaSet(1)],
  ]) {
    const mongod = await start();
    const client = await new MongoClient(mongod.uri).connect();
    const server = await startService(mongod.uri, { env: ENV });
    try {
      for (const [name, settings] of Object.entries(SETTINGS)) {
        const cells = await measureApp(server.url, client.db(), settings, rounds);
        rows.push(...cells.map((cell) => ({ database, settings: name, ...cell })));
        progress(JSON.stringify(rows.at(-1)));
      }
    } finally {
      await stopServer(server);
      await client.close();
      await mongod.stop();
    }
  }
  const head = ['database', 'settings', 'form', 'status', 'new ms', 'known ms', 'difference %'];
  return { results: { rows }, table: table(head, rows.map(Object.values)) };
}

let apps = 0;

/** Asks for new and known emails in turns: each email once. */
async function measureApp(url, db, settings, rounds) {
  apps += 1;
  const app = `known-${apps}`;
  const { admin } = await createApp(url, app, SCHEMA);
  await admin('PUT', `/auth/apps/${app}/history`, { submissions: true });
  const records = 2 * (WARM_UP + rounds);
  const emailOf = (number) => `known${String(number).padStart(6, '0')}@example.com`;
  await storeRecords(db, { app, schemaVersion: 2, records, emailOf, dataOf: () => ({ name: 'Ada' }) });
  const cells = [];
  for (const [form, maxRecords, from] of [
    ['open', null, 0],
    ['full', 1, WARM_UP + rounds],
  ]) {
    await admin('PUT', `/auth/apps/${app}/form`, { ...settings, maxRecords });
    const times = { new: [], known: [] };
    const statuses = new Set();
    for (let number = 0; number < WARM_UP + rounds; number += 1) {
      const emails = { new: emailOf(from + number).replace('known', 'fresh'), known: emailOf(from + number) };
      for (const kind of number % 2 === 0 ? ['new', 'known'] : ['known', 'new']) {
        const { ms, status } = await (settings.own ? askLink : submit)(url, app, emails[kind]);
        statuses.add(status);
        if (number >= WARM_UP) times[kind].push(ms);
      }
    }
    const [fresh, known] = [median(times.new), median(times.known)];
    const difference = round((Math.abs(known - fresh) / fresh) * 100);
    cells.push({ form, status: [...statuses].join(), new: round(fresh), known: round(known), difference });
  }
  return cells;
}

const submit = (url, app, email) => send(`${url}/v1/users`, { email, data: { name: 'Grace' } }, { 'x-app-id': app });

const askLink = (url, app, email) => send(`${url}/v1/forms/${app}/entry-link`, { email });

async function send(url, body, headers = {}) {
  const begun = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await response.text();
  return { ms: performance.now() - begun, status: response.status };
}
