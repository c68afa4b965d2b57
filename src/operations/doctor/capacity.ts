import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Document } from 'mongodb';
import { memoryLimit, memoryNeeded } from '../../platform/core/memory.ts';
import { POOL_SIZE } from '../../platform/database/client.ts';
import type { Context } from './context.ts';
import { type Finding, fault, good, size, warning } from './findings.ts';

/** Below one of these values the disk is nearly full: relative, and in bytes. */
const LOW_DISK = { part: 0.15, bytes: 2e9 };
/** Below one of these MongoDB may end at any time. */
const LEAST_DISK = { part: 0.05, bytes: 2.5e8 };

/** The free disk of the database, of each shard, and of the data folder of this machine. */
export async function checkDisk({ config, command, database }: Context): Promise<Finding[]> {
  const stats = await command({ dbStats: 1, freeStorage: 0 }, database.databaseName);
  const members: [string, Document][] = stats.raw ? Object.entries(stats.raw) : [['the database', stats]];
  const findings = members.map(([name, { fsTotalSize, fsUsedSize }]) =>
    judgeDisk(`of ${name}`, fsTotalSize, fsTotalSize - fsUsedSize),
  );
  if (config.mongodbUri !== undefined) return findings;
  const { blocks, bavail, bsize } = await statfs(config.dataDir);
  return [...findings, judgeDisk('of DATA_DIR', blocks * bsize, bavail * bsize)];
}

/** @param name names the disk, such as `of the database` */
export function judgeDisk(name: string, total: number, free: number): Finding {
  // mongod on some storage engines and services does not tell.
  if (!(total > 0)) return warning(`the disk ${name} is not known`, 'Watch it where the database runs.');
  const found = `${size(free)} of ${size(total)} free on the disk ${name}`;
  const advice = 'Enlarge the disk, or remove what is not needed. MongoDB ends when its disk is full.';
  const isBelow = ({ part, bytes }: typeof LOW_DISK): boolean => free < part * total || free < bytes;
  if (isBelow(LEAST_DISK)) return fault(found, advice);
  return isBelow(LOW_DISK) ? warning(found, advice) : good(found);
}

const MEGABYTE = 2 ** 20;
/** mongod also needs memory for connections, sorts and index builds. */
const CACHE_PART = 0.8;

/** The memory limit of this process and of the servers, and the cache of mongod. */
export async function checkMemory({ config, running, command, hello }: Context): Promise<Finding[]> {
  const findings = [judgeServer(memoryLimit() ?? totalmem(), getHeapStatistics().heap_size_limit, config.workers)];
  for (const { host, pid, workers, memoryLimit: limit } of running) {
    if (limit === null || limit >= memoryNeeded(workers)) continue;
    const found = `the server ${host} (process ${pid}) may use ${size(limit)}${withWorkers(workers)}`;
    findings.push(warning(found, moreMemory(workers)));
  }
  if (hello.msg === 'isdbgrid') return findings;
  const [{ wiredTiger }, { system }] = await Promise.all([
    command({ serverStatus: 1, metrics: 0, locks: 0, repl: 0 }),
    command({ hostInfo: 1 }),
  ]);
  const cache = wiredTiger?.cache?.['maximum bytes configured'];
  const limit = (system?.memLimitMB ?? system?.memSizeMB) * MEGABYTE;
  if (typeof cache === 'number' && limit > 0) findings.push(judgeCache(cache, limit));
  return findings;
}

/** @param heap the largest heap of Node.js */
export function judgeServer(limit: number, heap: number, workers: number): Finding {
  const found = `a server of this machine may use ${size(limit)}${withWorkers(workers)}, and a heap ${size(heap)}`;
  if (heap > limit) {
    return fault(found, 'Lower --max-old-space-size (NODE_OPTIONS): the system kills a process beyond its limit.');
  }
  return limit < memoryNeeded(workers) ? warning(found, moreMemory(workers)) : good(found);
}

const withWorkers = (workers: number): string => (workers === 1 ? '' : ` with ${workers} workers`);

const moreMemory = (workers: number): string =>
  `Give it ${size(memoryNeeded(workers))} or more${workers === 1 ? '' : ', or set WORKERS=auto'}.`;

export function judgeCache(cache: number, limit: number): Finding {
  const found = `the cache of mongod may take ${size(cache)} of ${size(limit)}`;
  if (cache <= CACHE_PART * limit) return good(found);
  return fault(found, 'Lower --wiredTigerCacheSizeGB: the system kills a mongod that takes more than there is.');
}

/** What jobs and other clients need beside the pools of servers. */
const LEAST_CONNECTIONS = 32;

/** The connections that the member accepts still, against the pools of the servers. */
export async function checkConnections({ command, running }: Context): Promise<Finding> {
  const { connections } = await command({ serverStatus: 1, metrics: 0, locks: 0, repl: 0, wiredTiger: 0 });
  const { current, available } = connections;
  const needed = running.reduce((sum, { poolSize, workers }) => sum + poolSize * workers, 0);
  return judgeConnections(current, available, needed);
}

/** @param needed the pools of the running servers together */
export function judgeConnections(current: number, available: number, needed: number): Finding {
  const found = `${available} of ${current + available} left`;
  const advice =
    'Raise maxIncomingConnections and the limit of open files of mongod, or lower maxPoolSize in MONGODB_URI.';
  if (available < LEAST_CONNECTIONS) return fault(found, advice);
  const pools = Math.max(needed, POOL_SIZE);
  if (current + available < pools) return warning(`${found}; the servers may open ${pools}`, advice);
  return good(found);
}
