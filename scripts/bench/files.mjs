// npm run bench -- --files: uploads of small and large files to both stores, the memory that they
// take, and submissions beside them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../dist/platform/core/config.js';
import { freePort } from '../../dist/platform/core/free-port.js';
import { withService } from './fixture.mjs';
import { memoryMegabytes } from './processes.mjs';
import { median, percentiles, table } from './report.mjs';
import { RATE, submissions } from './submissions.mjs';

const APP = 'files';
const OTHER_APP = 'submissions';
const BUCKET = 'bench';
const FIELDS = [{ key: 'cv', label: 'CV', kind: 'file', required: false, types: ['pdf'] }];
const SIZES = [
  { name: '10 kB, 8 at once', bytes: 10_000, connections: 8 },
  { name: '10 MB, 4 at once', bytes: 10_000_000, connections: 4 },
  { name: '10 MB, 50 at once', bytes: 10_000_000, connections: 50 },
];
/** One address must not reach the limit of a network. */
const TRUSTING = { TRUST_PROXY: '1', FILES_APP_LIMIT: '1000000000000' };

/** Measures; resolves with the results and a Markdown table. */
export default async function measureFiles({ rounds, seconds, progress }) {
  const results = { database: await measureStore('database', {}) };
  const bucket = await startBucket();
  try {
    results.S3 = await measureStore('S3', bucket.env);
  } finally {
    bucket.child.kill();
  }
  return { results, table: tableOf(results) };

  function measureStore(store, env) {
    const work = async ({ server, admin }) => {
      await admin('POST', '/auth/apps', { sourceAppId: OTHER_APP });
      await admin('POST', '/auth/apps', { sourceAppId: APP });
      await admin('PUT', `/auth/apps/${APP}/schema`, { rejectUnknown: false, fields: FIELDS });
      const ms = seconds * 1_000;
      const measured = {};
      let idle;
      for (const { name, bytes, connections } of SIZES) {
        const kinds = { alone: [], rate: [], memory: [], beside: [] };
        // The first one warms up.
        for (let round = 0; round <= rounds; round += 1) {
          const alone = await submissions(server.url, OTHER_APP, { ms });
          idle ??= memoryMegabytes(server.pid);
          const sent = await uploads(server, { bytes, connections, ended: sleep(ms) });
          const ended = submissions(server.url, OTHER_APP, { ms });
          const [beside] = await Promise.all([ended, uploads(server, { bytes, connections, ended })]);
          progress(
            `${store}, ${name}, round ${round} of ${rounds}: ${JSON.stringify({ idle, ...sent, alone, beside })}`,
          );
          if (round === 0) continue;
          kinds.alone.push(alone.median);
          kinds.rate.push(sent.perSecond);
          kinds.memory.push(sent.memory - idle);
          kinds.beside.push(beside.median);
        }
        measured[name] = Object.fromEntries(Object.entries(kinds).map(([kind, values]) => [kind, median(values)]));
      }
      return measured;
    };
    return withService(progress, work, { ...TRUSTING, ...env });
  }
}

let sent = 0;

/** Uploads until `ended` resolves; resolves with the uploads a second, and the most memory. */
async function uploads(server, { bytes, connections, ended }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const body = Buffer.alloc(bytes, 'a page of the file ');
  body.write('%PDF-1.7\n');
  const times = [];
  let isOver = false;
  let memory = 0;
  const watching = setInterval(() => {
    memory = Math.max(memory, memoryMegabytes(server.pid));
  }, 100);
  ended.then(() => {
    isOver = true;
  });
  const startedAt = performance.now();
  const one = async () => {
    while (!isOver) {
      const begun = performance.now();
      await upload(server.url, agent, body);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  clearInterval(watching);
  agent.destroy();
  const perSecond = Math.round((times.length / (performance.now() - startedAt)) * 1e5) / 100;
  return { perSecond, memory, ...percentiles(times) };
}

function upload(url, agent, body) {
  sent += 1;
  const address = `198.18.${(sent >> 8) & 255}.${sent & 255}`;
  const headers = { 'content-length': body.length, 'x-forwarded-for': address };
  return new Promise((resolve, reject) => {
    const path = `${url}/v1/forms/${APP}/files?field=cv&name=cv.pdf`;
    const req = request(path, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (piece) => {
        text += piece;
      });
      response.once('end', () => {
        if (response.statusCode === 201) resolve();
        else reject(new Error(`upload: ${response.statusCode} ${text}`));
      });
    });
    req.once('error', reject);
    req.end(body);
  });
}

/** Starts the S3 server of the tests, which keeps everything in its memory. */
async function startBucket() {
  const program = join(loadConfig(process.env).mongod.cacheDir, 'gofakes3-1.2.0');
  if (!existsSync(program)) throw new Error(`${program} is missing: npx vitest run test/cli/doctor-files.test.ts`);
  const port = await freePort();
  const options = ['-host', `127.0.0.1:${port}`, '-backend', 'memory', '-initialbucket', BUCKET, '-quiet'];
  const child = spawn(program, options, { stdio: 'ignore' });
  process.once('exit', () => child.kill());
  while (!(await isOpen(port))) await sleep(50);
  const env = {
    FILES_URL: `s3://${BUCKET}/?endpoint=http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'secret of the bench',
  };
  return { child, env };
}

function isOpen(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function tableOf(results) {
  const head = ['Store', 'Files', 'Uploads/s', 'Memory above idle', `Submissions alone, ${RATE}/s`, 'beside'];
  const rows = Object.entries(results).flatMap(([store, sizes]) =>
    Object.entries(sizes).map(([name, { rate, memory, alone, beside }]) => [
      store,
      name,
      rate,
      `${Math.round(memory)} MB`,
      `${alone} ms`,
      `${beside} ms`,
    ]),
  );
  return table(head, rows);
}
