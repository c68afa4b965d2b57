// npm run bench -- --search: the search by words in an app of a million records, over HTTP, one
// request at a time, beside submissions to the same app: without the index, and with it.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { logIn } from '../client.mjs';
import { times } from './data.mjs';
import { storeRecords, withService } from './fixture.mjs';
import { submissions, submissionsLine } from './submissions.mjs';

const APP = 'search';
const ALONE_MS = 20_000;
const PATH = `/auth/apps/${APP}/search`;

const FIRST = ['Ada', 'Alan', 'Anna', 'Chloé', 'Diego', 'Emma', 'Grace', 'Hélène', 'Ivan', 'Jürgen', 'Łukasz', 'María'];
const LAST = [
  'Becker',
  'Dubois',
  'García',
  'Jansen',
  'Kowalski',
  'López',
  'Müller',
  'Novák',
  'Rossi',
  'Schmidt',
  'Weiß',
];
const SUFFIXES = ['', 'ová', 's', 'mann', 'son', 'sen', 'berg', 'er', 'ski', 'etti'];
const CITIES = ['Paris', 'Rome', 'Oslo', 'Lima', 'Cairo', 'Zürich', 'São Paulo', 'New York', 'Berlin', 'Kraków'];

/** The queries, by their number of words. */
const CASES = {
  'one word, one match': 'person123457',
  'one word, 0.9 %': 'schmidt',
  'one word, 8 %': 'chloe',
  'two letters': 'sc',
  'one letter': 'a',
  'two words': 'schmidtberg ada',
  'two words, 1 match': 'person123457 example',
  'two words, 8 % and 10 %': 'ada paris',
  'three words': 'becker anna oslo',
  'three words of all': 'example com free',
  'a phrase': '"new york" grace',
  'no match, one word': 'zebul',
  'no match, three words': 'zebul ada paris',
};
const SCANNED = ['one word, 8 %', 'one word, one match', 'no match, one word'];

/** Fills an app and measures; resolves with the results and a Markdown table. */
export default async function measureSearch({ records, rounds, progress }) {
  return withService(progress, async ({ server, client, admin }) => {
    const { password } = await admin('POST', '/auth/apps', { sourceAppId: APP });
    await storeRecords(client.db(), { app: APP, schemaVersion: 1, records, dataOf, progress });
    const operator = await logIn(server.url, APP, password);
    const alone = await submissions(server.url, APP, { ms: ALONE_MS });
    const scans = {};
    for (const name of SCANNED) scans[name] = await measureCase(operator, CASES[name], Math.ceil(rounds / 10));
    progress(`without the index: ${JSON.stringify(scans)}`);
    const built = buildIndex(admin);
    const beside = await submissions(server.url, APP, { ended: built });
    const builtIn = await built;
    progress(`the index of ${records} records in ${builtIn.toFixed(0)} s`);
    const cases = {};
    const searched = (async () => {
      for (const [name, q] of Object.entries(CASES)) {
        cases[name] = await measureCase(operator, q, rounds);
        progress(`${name}: ${JSON.stringify(cases[name])}`);
      }
    })();
    const besideSearches = await submissions(server.url, APP, { ended: searched });
    await searched;
    const bytes = await indexBytes(client.db());
    const results = { records, load: loadavg(), builtIn, bytes, scans, cases, alone, beside, besideSearches };
    return { results, table: tableOf(results) };
  });
}

function dataOf(mixed) {
  const pick = (list, divisor) => list[Math.floor(mixed / divisor) % list.length];
  return {
    name: `${pick(FIRST, 1)} ${pick(LAST, 12)}${pick(SUFFIXES, 132)}`,
    city: pick(CITIES, 1_320),
    plan: ['free', 'pro', 'team'][mixed % 3],
    note: `Met at the fair in hall ${mixed % 40}`,
  };
}

/** Resolves with the seconds until the index is ready. */
async function buildIndex(admin) {
  const startedAt = performance.now();
  await admin('PUT', PATH, { enabled: true });
  while ((await admin('GET', PATH)).state !== 'ready') await sleep(500);
  return (performance.now() - startedAt) / 1_000;
}

async function measureCase(operator, q, rounds) {
  const path = `/auth/users?limit=50&q=${encodeURIComponent(q)}`;
  const { users, complete } = await operator('GET', path);
  return { ...(await times(rounds, () => operator('GET', path))), found: users.length, complete };
}

async function indexBytes(db) {
  const [{ storageStats }] = await db
    .collection('users')
    .aggregate([{ $collStats: { storageStats: {} } }])
    .toArray();
  return storageStats.indexSizes['appId_1_words_1__id_-1'];
}

function tableOf({ builtIn, bytes, scans, cases, alone, beside, besideSearches }) {
  const line = ([name, { median, p99, found, complete }]) =>
    `| ${name} | ${median} / ${p99} | ${found}${complete ? '' : ', not complete'} |`;
  return [
    '| Query | First page, median / p99 ms | Found |',
    '|---|---|---|',
    ...Object.entries(cases).map(line),
    ...Object.entries(scans).map(([name, result]) => line([`without the index: ${name}`, result])),
    '',
    `The index: built in ${Math.round(builtIn)} s, ${Math.round(bytes / 1024 / 1024)} MB`,
    submissionsLine('before it', alone),
    submissionsLine('beside its build', beside),
    submissionsLine('beside searches', besideSearches),
  ].join('\n');
}
