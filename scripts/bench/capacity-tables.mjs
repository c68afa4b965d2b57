// The tables of docs/capacity.md, from the costs that `npm run bench -- --capacity` measures.
import { FILES, LOADS, MIX, plan, planFiles, serviceTimes, simulateQueue } from './capacity-model.mjs';
import { table } from './report.mjs';

const SIMULATED = 200_000;
const QUEUE_LOADS = [0.5, 0.8, 0.9];

const whole = (value) => Math.round(value).toLocaleString('en');
/** Two significant digits, without an exponent. */
const short = (value) => (value >= 100 ? whole(value) : String(Number(value.toPrecision(2))));
const ms = (microseconds) => (microseconds / 1_000).toFixed(1);

const NAMES = { new: 'a new person', update: 'an update', listing: 'a page of 50', event: 'an event' };

/** The generated tables of docs/capacity.md, by name, from docs/capacity.json. */
export const capacityTables = ({ costs, checks, poolSize }) => ({
  costs: costTable(costs),
  plans: planTable(costs, poolSize),
  files: fileTable(),
  queues: queueTable(costs),
  checks: checkTable(checks),
});

/** What one action costs. */
function costTable(costs) {
  const rows = Object.keys(MIX).map((name) => {
    const { serverCpu, primaryCpu, secondaryCpu, writes, oplogBytes } = costs[name];
    return [NAMES[name], ...[serverCpu, primaryCpu, secondaryCpu].map(whole), writes.toFixed(1), whole(oplogBytes)];
  });
  const record = `a stored record: ${whole(costs.recordBytes)} bytes on disk, and ${whole(costs.indexBytes)} in indexes, of them ${whole(costs.emailIndexBytes)} in that of its email`;
  return `${table(['', 'server µs', 'primary µs', 'secondary µs', 'writes', 'oplog bytes'], rows)}\n\nAnd ${record}.`;
}

/** What the loads need. */
function planTable(costs, poolSize) {
  const rows = LOADS.map((load) => {
    const needed = plan(costs, { ...load, poolSize });
    const reason = Object.entries(needed.reasons).find(([, shards]) => shards === needed.shards && shards > 1)?.[0];
    return [
      whole(load.perDay),
      whole(load.stored),
      short(needed.peak),
      short(needed.serverCores),
      `${needed.processes} on ${needed.servers}`,
      short(needed.primaryCores),
      short(needed.recordsGb),
      short(needed.indexGb),
      short(needed.emailIndexGb),
      short(needed.oplogGb),
      reason ? `${needed.shards} (${reason})` : String(needed.shards),
      String(needed.members),
      whole(needed.connections),
    ];
  });
  const head = ['submissions a day', 'stored', 'at the peak, /s', 'cores of servers', 'processes on machines'];
  const disk = ['cores of primaries', 'records GB', 'indexes GB', 'of them emails', 'oplog GB'];
  return table([...head, ...disk, 'shards (because of)', 'members', 'connections'], rows);
}

/** What files need. */
function fileTable() {
  const rows = FILES.map((stored) => {
    const { databaseGb, besideBucketGb, bucketGb, oplogGb } = planFiles(stored);
    const sizes = [databaseGb, besideBucketGb, bucketGb, oplogGb].map(short);
    return [whole(stored.files), `${whole(stored.bytes / 1_000)} kB`, ...sizes];
  });
  const head = ['files', 'of', 'in the database GB', 'beside a bucket GB', 'in the bucket GB', 'through the oplog GB'];
  return table(head, rows);
}

/** How long requests wait for a process, for one queue each and one queue for all. */
function queueTable(costs) {
  const services = serviceTimes(costs);
  const cells = ({ mean, p99 }) => `${ms(mean)} / ${ms(p99)}`;
  const rows = QUEUE_LOADS.map((load) => {
    const simulate = (processes, isShared) =>
      cells(simulateQueue({ processes, load, services, requests: SIMULATED, isShared }));
    return [`${load * 100} %`, simulate(1, false), simulate(8, false), simulate(8, true)];
  });
  return table(['load', 'one process', 'eight, a queue each', 'eight, one queue'], rows);
}

/** The costs that the model predicts beside those that were measured. */
function checkTable(checks) {
  const rows = checks.map(({ workers, members, rate, predicted, measured }) => [
    `${workers} and ${members}`,
    whole(rate),
    ...['serverCpu', 'primaryCpu', 'secondaryCpu'].map((key) =>
      members === 1 && key === 'secondaryCpu' ? '' : `${whole(predicted[key])} / ${whole(measured[key])}`,
    ),
  ]);
  return table(['workers and members', 'submissions/s', 'server µs', 'primary µs', 'a secondary µs'], rows);
}
