// The capacity model of docs/capacity.md: cores, memory, disk and machines of a load, from the
// costs of single actions, and how long requests wait for a busy process.

/** For each submission: half are first ones; a page is read for each twenty; a webhook has all. */
export const MIX = { new: 0.5, update: 0.5, listing: 0.05, event: 1 };
/** Submissions in the busiest minute, by the mean of the day. */
const PEAK = 4;
/** The load of a core that is planned for at the peak. */
const PLANNED_LOAD = 0.5;
/** The machine of a member, and of servers. */
const MACHINE = { cores: 8, memoryGb: 32, diskGb: 2_000 };
/** The time that a member may be away and still catch up. */
const OPLOG_HOURS = 48;
/** Free space for growth, for rebuilt indexes and for a resync: disks are planned half full. */
const DISK_FILL = 0.5;
export const MEMBERS = 3;
const GB = 1e9;
const DAY_SECONDS = 86_400;

/** The cost of one submission of the mix: the sum of its actions. */
export function costOfMix(costs, mix = MIX) {
  const names = Object.keys(mix);
  const sum = (key) => names.reduce((total, name) => total + mix[name] * (costs[name][key] ?? 0), 0);
  return Object.fromEntries(
    ['serverCpu', 'primaryCpu', 'secondaryCpu', 'writes', 'oplogBytes'].map((key) => [key, sum(key)]),
  );
}

/**
 * What a load needs.
 *
 * @param costs of each action of `MIX`: CPU in microseconds, writes, bytes; and of a stored record
 *   its bytes on disk (`recordBytes`), of its index entries (`indexBytes`) and of that of its email
 *   (`emailIndexBytes`)
 * @param load `perDay` submissions, `stored` records
 */
export function plan(costs, { perDay, stored, poolSize }) {
  const cost = costOfMix(costs);
  const peak = (perDay / DAY_SECONDS) * PEAK;
  const coresOf = (cpu) => (peak * cpu) / 1e6;
  const processes = Math.max(2, Math.ceil(coresOf(cost.serverCpu) / PLANNED_LOAD));
  const servers = Math.max(2, Math.ceil(processes / MACHINE.cores));
  const indexGb = (stored * costs.indexBytes) / GB;
  const emailIndexGb = (stored * costs.emailIndexBytes) / GB;
  const recordsGb = (stored * costs.recordBytes) / GB;
  const oplogGb = ((perDay / 24) * OPLOG_HOURS * cost.oplogBytes) / GB;
  const primaryCores = coresOf(cost.primaryCpu);
  /** WiredTiger's cache: half of the memory above 1 GB. */
  const cacheGb = (MACHINE.memoryGb - 1) / 2;
  const reasons = {
    cores: Math.ceil(primaryCores / (MACHINE.cores * PLANNED_LOAD)),
    // Emails arrive in no order, so each insert reads another page of their index. Other indexes
    // grow at one end.
    cache: Math.ceil(emailIndexGb / cacheGb),
    disk: Math.ceil((recordsGb + indexGb + oplogGb) / (MACHINE.diskGb * DISK_FILL)),
  };
  const shards = Math.max(1, ...Object.values(reasons));
  return {
    perDay,
    stored,
    peak,
    processes,
    servers,
    primaryCores,
    recordsGb,
    indexGb,
    emailIndexGb,
    oplogGb,
    reasons,
    shards,
    serverCores: coresOf(cost.serverCpu),
    writesPerSecond: peak * cost.writes,
    members: shards * MEMBERS,
    connections: poolSize * processes,
  };
}

/** Measured bytes on disk, with those in indexes: of the document of a file, and of a chunk. */
const OF_FILE = { document: 430, chunk: 130, chunkBytes: 255 * 1024 };

/**
 * The gigabytes of files of one size: of each member, and of the bucket that may hold the content.
 * Each file arrives in the database, so the oplog has all content also with a bucket.
 */
export function planFiles({ files, bytes }) {
  const chunks = Math.ceil(bytes / OF_FILE.chunkBytes) * OF_FILE.chunk;
  const gb = (each) => (files * each) / GB;
  return {
    databaseGb: gb(OF_FILE.document + chunks + bytes),
    besideBucketGb: gb(OF_FILE.document),
    bucketGb: gb(bytes),
    oplogGb: gb(bytes + chunks + 2 * OF_FILE.document),
  };
}

/** The files of docs/capacity.md. */
export const FILES = [
  { files: 1e6, bytes: 1e4 },
  { files: 1e6, bytes: 5e5 },
  { files: 1e5, bytes: 1e7 },
];

/** The loads of docs/capacity.md. */
export const LOADS = [
  { perDay: 1e4, stored: 1e6 },
  { perDay: 1e6, stored: 1e8 },
  { perDay: 1e6, stored: 1e9 },
  { perDay: 1e8, stored: 1e9 },
];

/**
 * Simulates processes that are each busy for `load` of the time, with arrivals at random times.
 *
 * @param options.isShared one queue for all processes; otherwise one for each, as with
 *   node:cluster, where a connection belongs to one worker
 * @param options.services the times of the kinds of requests in microseconds, with their shares
 * @returns the mean, the median and the 99th percentile of the wait, in microseconds
 */
export function simulateQueue({ processes, load, services, requests, isShared = false, seed = 1 }) {
  const random = generator(seed);
  const meanService = services.reduce((sum, { share, time }) => sum + share * time, 0);
  const meanGap = meanService / (load * processes);
  const freeAt = new Float64Array(processes);
  const waits = new Float64Array(requests);
  let now = 0;
  for (let number = 0; number < requests; number += 1) {
    now += -Math.log(1 - random()) * meanGap;
    const process = isShared ? indexOfLeast(freeAt) : Math.floor(random() * processes);
    const begins = Math.max(now, freeAt[process]);
    freeAt[process] = begins + pick(services, random());
    waits[number] = begins - now;
  }
  const mean = waits.reduce((sum, wait) => sum + wait, 0) / requests;
  waits.sort();
  return { mean, median: waits[Math.floor(requests * 0.5)], p99: waits[Math.floor(requests * 0.99)] };
}

function pick(services, at) {
  let sum = 0;
  for (const { share, time } of services) {
    sum += share;
    if (at < sum) return time;
  }
  return services.at(-1).time;
}

function indexOfLeast(values) {
  let least = 0;
  for (let index = 1; index < values.length; index += 1) if (values[index] < values[least]) least = index;
  return least;
}

/** Numbers from 0 to 1, the same for a seed (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The kinds of requests of `MIX` as the service times of a process. */
export function serviceTimes(costs, mix = MIX) {
  const names = Object.keys(mix);
  const all = names.reduce((sum, name) => sum + mix[name], 0);
  return names.map((name) => ({ share: mix[name] / all, time: costs[name].serverCpu }));
}
