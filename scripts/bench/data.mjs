// npm run bench -- --data: finding, counting and exporting in an app of a million records, over
// HTTP, one request at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import { logIn } from '../client.mjs';
import { storeRecords, withService } from './fixture.mjs';
import { percentiles } from './report.mjs';
import { submissions, submissionsLine } from './submissions.mjs';

const APP = 'data';
const OTHER_APP = 'submissions';
const ALONE_MS = 20_000;
const PAGE = 50;
/** The page that is read by cursor, and the longest pages on the way to it. */
const DEEP_PAGE = 5_000;
const LONGEST_PAGE = 200;
const DAY_MS = 86_400_000;

const FIELDS = [
  { key: 'name', label: 'Name', kind: 'text', required: false },
  { key: 'age', label: 'Age', kind: 'number', required: false },
  { key: 'plan', label: 'Plan', kind: 'select', required: false, enum: ['free', 'pro', 'team'] },
  { key: 'born', label: 'Born', kind: 'date', required: false },
  { key: 'city', label: 'City', kind: 'text', required: false },
];
const INDEXED = FIELDS.map((field) => (field.key === 'city' ? field : { ...field, indexed: true }));

/** The queries; each has enough matches for the deep page. */
const CASES = {
  equality: 'where=data.plan:eq:pro',
  range: 'where=data.age:gte:20&where=data.age:lt:80',
  'range, sorted': 'where=data.born:gte:1960-01-01&sort=data.born',
  prefix: 'where=data.name:prefix:a&sort=data.name',
  in: 'where=data.plan:in:pro,team',
  sort: 'sort=data.name',
  email: 'sort=email&total=none',
  newest: 'total=none',
  'q, an email': 'q=person1234',
  'without an index': 'where=data.city:eq:Paris',
};

/** Fills an app and measures; resolves with the results and a Markdown table. */
export default async function measureData({ records, rounds, progress }) {
  return withService(progress, async ({ server, client, admin }) => {
    const { password } = await admin('POST', '/auth/apps', { sourceAppId: APP });
    await admin('PUT', `/auth/apps/${APP}/schema`, { rejectUnknown: false, fields: FIELDS });
    await storeRecords(client.db(), { app: APP, schemaVersion: 2, records, dataOf, progress });
    const builtIn = await buildIndexes(admin);
    progress(`four indexes of ${records} records in ${builtIn.toFixed(0)} s`);
    const operator = await logIn(server.url, APP, password);
    const cases = {};
    for (const [name, query] of Object.entries(CASES)) {
      cases[name] = await measureCase(operator, query, rounds);
      progress(`${name}: ${JSON.stringify(cases[name])}`);
    }
    const exports = {};
    for (const format of ['csv', 'ndjson', 'json']) exports[format] = await exportRate(operator, format, records);
    const history = await measureHistory(operator, rounds);
    progress(`history: ${JSON.stringify(history)}`);
    const change = await measureChange(operator, records);
    progress(`change of all: ${JSON.stringify(change)}`);
    await admin('POST', '/auth/apps', { sourceAppId: OTHER_APP });
    const deletion = await measureDeletion(admin, server.url);
    const results = { records, builtIn, cases, exports, history, change, deletion };
    return { results, table: tableOf(results) };
  });
}

const CITIES = ['Paris', 'Rome', 'Oslo', 'Lima', 'Cairo'];
const LETTERS = 'abcdefghij';

const dataOf = (mixed) => ({
  name: `${LETTERS[mixed % 2 ? 0 : mixed % 10]}da ${mixed}`,
  age: mixed % 100,
  plan: ['free', 'pro', 'team'][mixed % 3],
  born: new Date(Date.UTC(1950, 0, 1) + (mixed % 20_000) * DAY_MS).toISOString().slice(0, 10),
  city: CITIES[mixed % CITIES.length],
});

/** Resolves with the seconds until all indexes are ready. */
async function buildIndexes(admin) {
  const startedAt = performance.now();
  await admin('PUT', `/auth/apps/${APP}/schema`, { rejectUnknown: false, fields: INDEXED });
  for (;;) {
    const states = await admin('GET', `/auth/apps/${APP}/indexes`);
    if (states.length > 0 && states.every(({ state }) => state === 'ready')) break;
    await sleep(500);
  }
  return (performance.now() - startedAt) / 1_000;
}

async function measureCase(operator, query, rounds) {
  const page = (more) => operator('GET', `/auth/users?${query}&limit=${PAGE}${more}`);
  const uncounted = query.includes('total=') ? '' : '&total=none';
  const first = await times(rounds, () => page(uncounted));
  const cursor = query.startsWith('q=') ? undefined : await deepCursor(operator, `${query}${uncounted}`);
  const deep = cursor && (await times(rounds, () => page(`${uncounted}&cursor=${cursor}`)));
  if (uncounted === '') return { first, deep };
  const { total, totalIs } = await page('&total=capped');
  return { first, deep, counted: await times(rounds, () => page('&total=capped')), total, totalIs };
}

/** Walks to the deep page; undefined when there are fewer. */
async function deepCursor(operator, query) {
  let cursor = '';
  let read = 0;
  while (read < DEEP_PAGE * PAGE) {
    const more = cursor && `&cursor=${cursor}`;
    const { users, next } = await operator('GET', `/auth/users?${query}&limit=${LONGEST_PAGE}${more}`);
    if (!next) return undefined;
    read += users.length;
    cursor = next;
  }
  return cursor;
}

/** How long a request takes. */
export async function times(rounds, request) {
  const all = [];
  for (let round = 0; round < rounds + 5; round += 1) {
    const startedAt = performance.now();
    await request();
    // The first five warm up.
    if (round >= 5) all.push(performance.now() - startedAt);
  }
  return percentiles(all);
}

/** Deletes the app; resolves with the seconds, and submissions to another app before and beside. */
async function measureDeletion(admin, url) {
  const alone = await submissions(url, OTHER_APP, { ms: ALONE_MS });
  const startedAt = performance.now();
  const deleted = admin('DELETE', `/auth/apps/${APP}`);
  const beside = await submissions(url, OTHER_APP, { ended: deleted });
  await deleted;
  return { seconds: Math.round((performance.now() - startedAt) / 100) / 10, alone, beside };
}

/** Edits of one record, pages of its history, and reverts. */
async function measureHistory(operator, rounds) {
  const { users } = await operator('GET', '/auth/users?limit=1&total=none');
  const path = `/auth/users/${users[0].id}`;
  let number = 0;
  const edit = await times(rounds, () => operator('PATCH', path, { set: { city: `City ${number++}` } }));
  const page = await times(rounds, () => operator('GET', `${path}/history`));
  const undo = async () => {
    const { entries } = await operator('GET', `${path}/history`);
    await operator('POST', `${path}/revert`, { revision: entries[0].revision });
  };
  return { edit, page, undo: await times(rounds, undo) };
}

/** Changes a field of all records and undoes that; resolves with the seconds. */
async function measureChange(operator, records) {
  const query = new URLSearchParams({ where: 'createdAt:gte:2000-01-01T00:00:00Z', confirm: String(records) });
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
  const { id } = await operator('PATCH', `/auth/users?${query}`, { set: { city: 'Bergen' } });
  const answered = seconds();
  const ended = async (state) => {
    for (;;) {
      const change = await operator('GET', `/auth/changes/${id}`);
      if (change.state === state) return change;
      await sleep(200);
    }
  };
  const { changed } = await ended('completed');
  const done = seconds();
  await operator('POST', `/auth/changes/${id}/undo`);
  const { undo } = await ended('undone');
  return { answered, changed, seconds: done, restored: undo.changed, undoSeconds: seconds() - done };
}

/** Records per second of an export that is read at once. */
async function exportRate(operator, format, records) {
  const startedAt = performance.now();
  const read = async ({ body }) => {
    for await (const _ of body);
  };
  await operator('GET', `/auth/users/export?format=${format}`, undefined, { read });
  return Math.round((records / (performance.now() - startedAt)) * 1_000);
}

function tableOf({ builtIn, cases, exports, history, change, deletion }) {
  const cell = (value) => (value ? `${value.median} / ${value.p99}` : '');
  return [
    '| Query | First page, median / p99 ms | Page 5,000 | With a capped count |',
    '|---|---|---|---|',
    ...Object.entries(cases).map(
      ([name, { first, deep, counted }]) => `| ${name} | ${cell(first)} | ${cell(deep)} | ${cell(counted)} |`,
    ),
    '',
    `Four indexes: built in ${Math.round(builtIn)} s`,
    ...Object.entries(exports).map(([format, rate]) => `Export as ${format}: ${rate} records/s`),
    `Edit, page of 20 entries, revert (median / p99 ms): ${[history.edit, history.page, history.undo].map(cell).join(', ')}`,
    `Change of ${change.changed} records: answered after ${change.answered} s, done after ${change.seconds} s; undo ${change.undoSeconds.toFixed(1)} s`,
    `Deletion of the app: ${deletion.seconds} s`,
    submissionsLine('before it', deletion.alone),
    submissionsLine('beside it', deletion.beside),
  ].join('\n');
}
