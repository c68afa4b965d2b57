// npm run bench -- --import: an import of CSV over HTTP, its memory, and submissions beside it.
import { setTimeout as sleep } from 'node:timers/promises';
import { pidOf, withService } from './fixture.mjs';
import { childrenOf, cpuMicroseconds, memoryMegabytes } from './processes.mjs';
import { submissions, submissionsLine } from './submissions.mjs';

const APP = 'import';
const OTHER_APP = 'submissions';
const PART_BYTES = 4 * 1024 * 1024;
const LINES_OF_A_PART = 10_000;
const MEASURED_MS = 20_000;

const FIELDS = [
  { key: 'name', label: 'Name', kind: 'text', required: false },
  { key: 'age', label: 'Age', kind: 'number', required: false },
  { key: 'plan', label: 'Plan', kind: 'select', required: false, enum: ['free', 'pro', 'team'] },
  { key: 'born', label: 'Born', kind: 'date', required: false },
];

/** Measures; resolves with the results and a Markdown table. */
export default async function measureImport({ records: lines, progress }) {
  return withService(progress, async ({ server, client, admin }) => {
    for (const sourceAppId of [APP, OTHER_APP]) {
      await admin('POST', '/auth/apps', { sourceAppId });
      await admin('PUT', `/auth/apps/${sourceAppId}/schema`, { rejectUnknown: false, fields: FIELDS });
    }
    const idle = memoryMegabytes(server.pid);
    const pids = { service: server.pid, mongod: await pidOf(client) };
    const results = {};
    for (const [name, age] of [
      ['new persons', 30],
      ['other values', 31],
      ['equal values', 31],
    ]) {
      results[name] = { ...(await runImport(admin, pids, lines, age)), idle };
      progress(`${name}: ${JSON.stringify(results[name])}`);
    }
    const alone = await submissions(server.url, OTHER_APP, { ms: MEASURED_MS });
    progress(`submissions alone: ${JSON.stringify(alone)}`);
    const running = runImport(admin, pids, lines, 32);
    await sleep(3_000);
    const beside = await submissions(server.url, OTHER_APP, { ms: MEASURED_MS });
    progress(`beside an import: ${JSON.stringify(beside)}`);
    results['beside submissions'] = { ...(await running), alone, beside };
    return { results, table: tableOf(results) };
  });
}

function* contentOf(lines, age) {
  yield 'email,data.name,data.age,data.plan,data.born\n';
  for (let from = 0; from < lines; from += LINES_OF_A_PART) {
    let part = '';
    for (let number = from; number < Math.min(lines, from + LINES_OF_A_PART); number += 1) {
      const mixed = (number * 7_919) % 1_000_003;
      part += `person${mixed}@example.com,Ada Lovelace ${mixed},${age},${['free', 'pro', 'team'][mixed % 3]},1990-01-31\n`;
    }
    yield part;
  }
}

/** Resolves with the lines per second from the start to the end, and the most memory meanwhile. */
async function runImport(admin, pids, lines, age) {
  const { id } = await admin('POST', `/auth/imports?sourceAppId=${APP}`, {});
  let sent = 0;
  let waiting = Buffer.alloc(0);
  const send = async () => {
    const range = `bytes ${sent}-${sent + waiting.length - 1}/*`;
    await admin('PUT', `/auth/imports/${id}/content?sourceAppId=${APP}`, waiting, {
      headers: { 'content-range': range },
    });
    sent += waiting.length;
    waiting = Buffer.alloc(0);
  };
  for (const part of contentOf(lines, age)) {
    waiting = Buffer.concat([waiting, Buffer.from(part)]);
    if (waiting.length >= PART_BYTES) await send();
  }
  if (waiting.length > 0) await send();
  const before = { service: cpuMicroseconds(pids.service), mongod: cpuMicroseconds(pids.mongod) };
  const startedAt = performance.now();
  await admin('POST', `/auth/imports/${id}/start?sourceAppId=${APP}`, {});
  const memory = { service: 0, importer: 0 };
  // The process of the import before may go on; a new one begins with no processor time.
  const [pid = 0] = childrenOf(pids.service);
  const importer = { pid, before: pid && cpuMicroseconds(pid), after: 0 };
  for (;;) {
    await sleep(100);
    memory.service = Math.max(memory.service, memoryMegabytes(pids.service));
    const [current = 0] = childrenOf(pids.service);
    if (current !== importer.pid) Object.assign(importer, { pid: current, before: 0 });
    if (current !== 0) {
      importer.after = cpuMicroseconds(current);
      memory.importer = Math.max(memory.importer, memoryMegabytes(current));
    }
    const { state, read, rejected } = await admin('GET', `/auth/imports/${id}?sourceAppId=${APP}`);
    if (state === 'running') continue;
    if (state !== 'completed' || rejected > 0) throw new Error(`the import is ${state}, ${rejected} rejected`);
    const seconds = (performance.now() - startedAt) / 1_000;
    const perLine = (microseconds) => Math.round((microseconds / read) * 10) / 10;
    return {
      lines: read,
      perSecond: Math.round(read / seconds),
      importer: perLine(importer.after - importer.before),
      service: perLine(cpuMicroseconds(pids.service) - before.service),
      mongod: perLine(cpuMicroseconds(pids.mongod) - before.mongod),
      memory: { service: Math.round(memory.service), importer: Math.round(memory.importer) },
    };
  }
}

function tableOf(results) {
  return [
    '| Import | Lines/s | CPU of its process for a line | of the service | of MongoDB | Most memory of its process | of the service |',
    '|---|---|---|---|---|---|---|',
    ...Object.entries(results).map(
      ([name, { perSecond, importer, service, mongod, memory }]) =>
        `| ${name} | ${perSecond} | ${importer} us | ${service} us | ${mongod} us | ${memory.importer} MB | ${memory.service} MB |`,
    ),
    '',
    submissionsLine('alone', results['beside submissions'].alone),
    submissionsLine('beside an import', results['beside submissions'].beside),
  ].join('\n');
}
