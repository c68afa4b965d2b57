// npm run bench: compares the service, as `npm start` runs it in production, with a plain node:http
// handler (the baseline) on one mongod, in interleaved rounds.
//   --quick       within a minute: fewer cases, one short round
//   --only A,B    only these cases
//   --growth      instead: 10,000 to 1,000,000 stored users and 1 to 10,000 apps
//   --data        instead: finding, counting and exporting in an app of a million records
//   --search      instead: searches by words in an app of a million records, and their index
//   --events      instead: from a submission to its webhook, and what a webhook costs
//   --inbox       instead: what kept submissions cost, and pages of a million of them
//   --files       instead: uploads to both stores, their memory, and submissions beside them
//   --import      instead: an import of CSV, its memory, and submissions beside it
//   --erasure     instead: the erasure of a person who is in all lines of a file
//   --records N   the number of records of --data and --search, of lines of --import and --erasure
//   --logins      instead: submissions and right passwords beside a flood of wrong ones
//   --beside A    the folder of another version, built, measured in turns with this one; --logins
//                 takes several (A,B)
//   --replica-set a replica set of one member instead of a standalone mongod
//   --known       instead: answers for new and known emails, where an app hides which is which
//   --busy N      processes that compute beside --logins, as on a slow machine
//   --flood       instead: submissions beside floods of an operator's reads; --only names floods
//   --capacity    instead: costs of single requests, and what the capacity model makes of them
//   --rounds N, --seconds N, --connections N,M, --output FILE
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { build, install, say } from './setup.mjs';

install();
build();
const { cases } = await import('./bench/cases.mjs');
const { prepareFixture } = await import('./bench/fixture.mjs');
const { measure } = await import('./bench/measure.mjs');
const { summarize, tableBeside, tableOfCases } = await import('./bench/report.mjs');

const { values } = parseArgs({
  options: {
    growth: { type: 'boolean', default: false },
    data: { type: 'boolean', default: false },
    search: { type: 'boolean', default: false },
    events: { type: 'boolean', default: false },
    files: { type: 'boolean', default: false },
    inbox: { type: 'boolean', default: false },
    import: { type: 'boolean', default: false },
    erasure: { type: 'boolean', default: false },
    logins: { type: 'boolean', default: false },
    beside: { type: 'string' },
    'replica-set': { type: 'boolean', default: false },
    busy: { type: 'string', default: '0' },
    flood: { type: 'boolean', default: false },
    known: { type: 'boolean', default: false },
    capacity: { type: 'boolean', default: false },
    records: { type: 'string', default: '1000000' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string' },
    output: { type: 'string', default: 'bench.json' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
const seconds = Number(values.seconds ?? (values.quick ? 2 : 5));
const [records, queries] = [Number(values.records), Number(values.rounds ?? 100)];
/** The measurements instead of the cases: what each module of this name gets. */
const others = {
  growth: { rounds, seconds },
  data: { records, rounds: queries },
  search: { records, rounds: queries },
  events: { rounds, seconds },
  files: { rounds, seconds },
  inbox: { records, pages: queries, rounds, seconds },
  import: { records },
  erasure: { records },
  logins: { beside: values.beside?.split(',') ?? [], busy: Number(values.busy), rounds, seconds },
  flood: { only: values.only?.split(',') },
  capacity: { seconds },
  known: { rounds: Number(values.rounds ?? 40) },
};
for (const [name, options] of Object.entries(others)) {
  if (!values[name]) continue;
  const { default: measureOther } = await import(`./bench/${name}.mjs`);
  const { results, table } = await measureOther({ ...options, progress: say });
  writeResults({ ...options, ...results });
  console.log(table);
  process.exit();
}
const names = values.only?.split(',') ?? Object.keys(cases);

const fixture = await prepareFixture(say, { beside: values.beside, replicaSet: values['replica-set'] });
const results = [];
try {
  for (const name of names) {
    const { request, connections, minSeconds = 0 } = cases[name];
    const counts = values.connections?.split(',').map(Number) ?? (values.quick ? connections.slice(1, 2) : connections);
    for (const count of counts) {
      const compared = await compare(name, request, count, Math.max(seconds, minSeconds));
      results.push({ name, connections: count, ...compared });
    }
  }
} finally {
  await fixture.stop();
}
writeResults({ rounds, seconds, results });
console.log(tableOfCases(results));
if (values.beside !== undefined) console.log(`\nThis version, of ${values.beside}:\n${tableBeside(results)}`);

function writeResults(results) {
  writeFileSync(values.output, `${JSON.stringify({ node: process.version, ...results }, null, 2)}\n`);
}

/**
 * The servers in the order of a round. Over six rounds of three, each is first, in the middle and
 * last, and follows each other one, equally often: a server that follows itself is faster.
 */
function orderOf(servers, round) {
  const start = round % servers.length;
  const order = [...servers.slice(start), ...servers.slice(0, start)];
  return Math.floor(round / servers.length) % 2 === 0 ? order : order.toReversed();
}

/** Measures the servers in turn. */
async function compare(name, request, connections, duration) {
  const servers = Object.keys(fixture.servers);
  const measured = Object.fromEntries(servers.map((server) => [server, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const server of orderOf(servers, round)) {
      const { mongodPid } = fixture;
      const warmUp = round === 0;
      const options = {
        server: fixture.servers[server],
        mongodPid,
        request,
        cookie: fixture.servers[server].cookie,
        connections,
        seconds: warmUp ? duration / 2 : duration,
      };
      const result = await measure(options);
      if (warmUp) continue;
      measured[server].push(result);
      say(
        `${name}, ${connections} connections, round ${round} of ${rounds}, ${server}: ${Math.round(result.rate)} requests/s`,
      );
    }
  }
  return summarize(measured);
}
