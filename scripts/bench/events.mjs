// npm run bench -- --events: from the answer to a submission to the first attempt of its delivery,
// beside a dead endpoint too, and the rate of submissions with a webhook.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { schema, submission } from './cases.mjs';
import { withService } from './fixture.mjs';
import { measure } from './measure.mjs';
import { median, percentiles } from './report.mjs';

const PER_SECOND = 500;
const SECONDS = 10;
const WAITING = 10_000;
const VALUES = { name: 'Ada Lovelace', age: 36, plan: 'pro', agreed: true };
const EVENTS = ['user.created', 'user.updated'];

/** Measures and resolves with the results and a Markdown table. */
export default async function measureEvents({ rounds, seconds, progress }) {
  const receiver = await startReceiver();
  const work = ({ server, admin }) => measureWith({ server, admin, receiver, rounds, seconds, progress });
  try {
    return await withService(progress, work, { WEBHOOKS_ALLOW_PRIVATE: 'true' });
  } finally {
    receiver.close();
  }
}

async function measureWith({ server, admin, receiver, rounds, seconds, progress }) {
  for (const app of ['timed', 'dead', 'plain', 'heard']) {
    await admin('POST', '/auth/apps', { sourceAppId: app });
    await admin('PUT', `/auth/apps/${app}/schema`, schema);
  }
  const listen = (app, url) => admin('POST', `/auth/webhooks?sourceAppId=${app}`, { url, events: EVENTS });
  await listen('timed', receiver.url);
  await listen('heard', receiver.url);
  progress('warming up');
  await latencies(server, receiver, progress);
  const alone = await latencies(server, receiver, progress);
  await listen('dead', 'http://127.0.0.1:9/');
  await burst(server, 'dead', WAITING);
  progress(`${WAITING} deliveries of a dead endpoint wait`);
  const besideDead = await latencies(server, receiver, progress);
  const request = (app) => {
    people += 1;
    return submission(app, `rate${people}@example.com`, VALUES);
  };
  const rates = await compareRates({ server, apps: ['plain', 'heard'], request, rounds, seconds, progress });
  const results = { alone, besideDead, rates };
  return { results, table: tableOf(results) };
}

/** A receiver that notes when the first attempt for each email arrived. */
export async function startReceiver() {
  const arrivals = new Map();
  const http = createServer((req, res) => {
    let text = '';
    req.on('data', (chunk) => {
      text += chunk;
    });
    req.on('end', () => {
      const { email } = JSON.parse(text).data;
      if (!arrivals.has(email)) arrivals.set(email, performance.now());
      res.end();
    });
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { arrivals, url: `http://127.0.0.1:${http.address().port}/`, close: () => http.close() };
}

let people = 0;

async function submitOne({ url }, app) {
  people += 1;
  const email = `person${people}@example.com`;
  const response = await fetch(`${url}/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-app-id': app },
    body: JSON.stringify({ email, data: VALUES }),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`submission: ${response.status}`);
  return { email, at: performance.now() };
}

async function burst(server, app, count) {
  for (let sent = 0; sent < count; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => submitOne(server, app)));
  }
  await sleep(5_000);
}

/** Milliseconds from answer to first attempt at a constant rate of submissions. */
async function latencies(server, { arrivals }, progress) {
  const sending = [];
  const startedAt = performance.now();
  while (performance.now() - startedAt < SECONDS * 1_000) {
    const due = ((performance.now() - startedAt) / 1_000) * PER_SECOND;
    while (sending.length < due) sending.push(submitOne(server, 'timed'));
    await sleep(5);
  }
  const sent = await Promise.all(sending);
  const until = performance.now() + 30_000;
  while (sent.some(({ email }) => !arrivals.has(email)) && performance.now() < until) await sleep(50);
  const times = sent.map(({ email, at }) => (arrivals.get(email) ?? Number.NaN) - at);
  const result = { events: sent.length, ...percentiles(times) };
  progress(JSON.stringify(result));
  return result;
}

/** The medians of the rates of two apps, in rounds in turns. */
export async function compareRates({ server, apps, request, rounds, seconds, connections = 32, progress }) {
  const rates = Object.fromEntries(apps.map((app) => [app, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const app of round % 2 ? apps.toReversed() : apps) {
      const options = { server, mongodPid: server.pid, connections, seconds };
      const { rate } = await measure({ ...options, request: () => request(app) });
      rates[app].push(rate);
      progress(`${app}: ${Math.round(rate)} submissions/s`);
      await sleep(1_000);
    }
  }
  return Object.fromEntries(apps.map((app) => [app, median(rates[app])]));
}

function tableOf({ alone, besideDead, rates: { plain, heard } }) {
  const row = (name, { median: half, p99 }) => `| ${name} | ${half} | ${p99} |`;
  return [
    `| From answer to first attempt, ${PER_SECOND} events/s | median ms | p99 ms |`,
    '|---|---|---|',
    row('alone', alone),
    row(`beside ${WAITING} waiting deliveries of a dead endpoint`, besideDead),
    '',
    `Submissions/s with 32 clients: ${Math.round(plain)} without, ${Math.round(heard)} with a webhook (${(heard / plain).toFixed(2)} x)`,
  ].join('\n');
}
