// The databases of the benchmarks: the embedded mongod, as `npm start` runs it, or a replica set.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoMemoryReplSet } from 'mongodb-memory-server-core';
import { pino } from 'pino';
import { loadConfig } from '../../dist/platform/core/config.js';
import { startEmbedded } from '../../dist/platform/embedded/embedded.js';
import { findMongod } from '../../dist/platform/embedded/mongod-binary.js';

/** Starts the embedded mongod on an empty folder; `stop` removes the folder. */
export async function startStandalone(progress) {
  const dataDir = await mkdtemp(join(tmpdir(), 'user-collection-bench-'));
  const { mongod } = loadConfig(process.env);
  const { uri, stop } = await startEmbedded({ dataDir, mongod }, { progress, logger: pino({ level: 'silent' }) });
  return {
    uri,
    async stop() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts a replica set with this number of members. */
export async function startReplicaSet(count) {
  const { path, version } = await findMongod(loadConfig(process.env).mongod, () => {});
  const set = await MongoMemoryReplSet.create({
    replSet: { count, storageEngine: 'wiredTiger', args: ['--wiredTigerCacheSizeGB', '1'] },
    binary: { systemBinary: path, version },
  });
  return { uri: set.getUri('user-collection'), stop: () => set.stop() };
}
