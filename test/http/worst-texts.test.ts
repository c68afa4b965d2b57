import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.ts';
import { type MeasuredServer, startMeasuredServer } from '../support/measured-server.ts';
import { Leftovers } from '../support/process.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/smtp.ts';
import { type Sent, type TextInput, textInputs } from '../support/text-inputs.ts';
import { unitTime } from '../support/thread-time.ts';
import { harmlessText, longest, type WorstText, worstTexts } from '../support/worst-texts.ts';

/** Below the limit of a body, and below that of Node.js for the line and the headers of a request. */
const MOST = { body: 99_000, header: 15_000, path: 15_000, query: 15_000 } as const;
/** The requests that are sent together. */
const TOGETHER = 6;
/** For a machine that is busy with other tests. */
const PATIENT_MS = 600_000;

const leftovers = new Leftovers();
const agent = new Agent({ keepAlive: true, maxSockets: TOGETHER });
/** Whose main thread is measured; the other one has the database. */
let server: MeasuredServer;
let base: TestServer;
let smtp: TestSmtp;
let client: Client;
let session: string;
let unit: number;
beforeAll(async () => {
  base = await startServer();
  smtp = await startSmtp();
  await base.services.jobs.stop();
  server = await startMeasuredServer(leftovers, base.database, { ...mailEnv(smtp, ''), TRUST_PROXY: '1' });
  client = await new Client(server.url).logIn('admin', ADMIN_PASSWORD);
  const { headers } = await client.post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD });
  session = [headers['set-cookie']]
    .flat()
    .map((one) => String(one).split(';', 1))
    .join('; ');
  await client.post('/auth/apps', { sourceAppId: APP }).expect(200);
  const fields = [{ key: 'name', kind: 'text' as const, indexed: true }];
  await client.putSchema(APP, { fields }).expect(200);
  await client.put(`/auth/apps/${APP}/search`, { enabled: true }).expect(200);
  unit = unitTime();
});
afterAll(async () => {
  agent.destroy();
  await leftovers.clear();
  await smtp.close();
  await base.close();
});

let requests = 0;
/** Each request comes from another network, so that no rate refuses it. */
function nextNetwork(): string {
  requests += 1;
  return `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`;
}

/** Sends bytes as they are; in headers, without those that Node.js does not send. */
function send({ method, path, headers, body }: Sent): Promise<number> {
  const all = {
    Cookie: session,
    'X-Forwarded-For': nextNetwork(),
    'Content-Length': Buffer.byteLength(body ?? ''),
    ...headers,
  };
  const sent = Object.entries(all).map(([name, value]) => [
    name,
    Buffer.from(String(value))
      .toString('latin1')
      .replace(/[^\t\x20-\x7e\x80-\xff]/g, ' '),
  ]);
  return new Promise((resolve, reject) => {
    const req = request(server.url + path, { method, headers: Object.fromEntries(sent), agent }, (response) => {
      response.resume();
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
    });
    req.on('error', reject).end(body);
  });
}

const sizeOf = ({ path, headers, body = '' }: Sent, part: TextInput['part']): number =>
  part === 'body'
    ? Buffer.byteLength(body)
    : path.length + Object.values(headers).reduce((sum, value) => sum + Buffer.byteLength(value), session.length + 300);

function largest({ part, fill }: TextInput, text: WorstText): Sent {
  return fill(longest(text, MOST[part], (some) => sizeOf(fill(some), part)));
}

/** Resolves with the time of the main thread while it answers some requests. */
async function timeOf(sent: readonly Sent[]): Promise<number> {
  const from = server.threadTime();
  const statuses = new Set<number>();
  await Promise.all(sent.map(async (one) => statuses.add(await send(one))));
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  return server.threadTime() - from;
}

/** The least of several times, because a busy machine adds to each. */
async function leastTimeOf(sent: Sent): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run += 1) times.push(await timeOf([sent]));
  return Math.min(...times);
}

/** Resolves with the texts that take longer than others of their length, and a fixed computation. */
async function slowTexts(input: TextInput): Promise<string[]> {
  const harmless = largest(input, harmlessText);
  const usual = await timeOf([harmless]);
  const sent = worstTexts.map(([name, text]) => ({ name, request: largest(input, text) }));
  let all = 0;
  for (let at = 0; at < sent.length; at += TOGETHER) {
    all += await timeOf(sent.slice(at, at + TOGETHER).map(({ request }) => request));
  }
  if (all < unit + sent.length * usual) return [];
  const most = unit + 4 * (await leastTimeOf(harmless));
  const slow: string[] = [];
  for (const { name, request } of sent) {
    if ((await timeOf([request])) < most) continue;
    const least = await leastTimeOf(request);
    if (least >= most) slow.push(`${input.name}, ${name}: ${Math.round((least / unit) * 100) / 100} units`);
  }
  return slow;
}

const APP = 'worst-texts';
/** The inputs of each part of the interface. */
const parts = new Map<string, TextInput[]>();
for (const input of textInputs(APP)) {
  const [, part = ''] = /^\w+ (\/\w+(?:\/\w+)?)/.exec(input.name) ?? [];
  parts.set(part, (parts.get(part) ?? []).concat(input));
}

describe('no text takes longer than a fixed computation, and others of its length', () => {
  it.each([...parts])(
    'in an input of %s',
    async (_part, inputs) => {
      const slow: string[] = [];
      for (const input of inputs) slow.push(...(await slowTexts(input)));
      expect(slow).toEqual([]);
    },
    PATIENT_MS,
  );

  it('which are all that openapi.json has', () => {
    expect(parts.size).toBeGreaterThan(20);
    expect([...parts.values()].flat().length).toBeGreaterThan(300);
  });
});
