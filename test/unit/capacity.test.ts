import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Costs, plan, planFiles, simulateQueue } from '../../scripts/bench/capacity-model.mjs';
import { capacityTables, type Measured } from '../../scripts/bench/capacity-tables.mjs';
import { CHUNK_BYTES } from '../../src/features/files/files.model.ts';
import { POOL_SIZE } from '../../src/platform/database/client.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const measured: Measured = JSON.parse(readFileSync(join(docs, 'capacity.json'), 'utf8'));

describe('the capacity model', () => {
  const zero = { serverCpu: 0, primaryCpu: 0, secondaryCpu: 0, writes: 0, oplogBytes: 0 };
  const only = { ...zero, serverCpu: 100, primaryCpu: 400, oplogBytes: 500 };
  const simple: Costs = {
    new: only,
    update: only,
    listing: zero,
    event: zero,
    recordBytes: 300,
    indexBytes: 200,
    emailIndexBytes: 100,
  };
  const needs = (perDay: number, stored: number) => plan(simple, { perDay, stored, poolSize: 160 });

  it('adds up one day: cores at the peak, gigabytes, connections', () => {
    // 1,000 submissions a second on the mean, 4,000 at the peak.
    const day = needs(86_400_000, 1e9);
    expect(day).toMatchObject({
      peak: 4_000,
      serverCores: 0.4,
      primaryCores: 1.6,
      recordsGb: 300,
      indexGb: 200,
      emailIndexGb: 100,
    });
    expect(day.oplogGb).toBeCloseTo(86.4);
    expect(day).toMatchObject({ processes: 2, servers: 2, connections: 320 });
  });

  it('never plans fewer than two processes on two machines and a set of three members', () => {
    expect(needs(1, 1)).toMatchObject({ processes: 2, servers: 2, shards: 1, members: 3 });
  });

  it('adds a shard when the cores, the cache or the disk of a primary do not suffice', () => {
    // A machine has 8 cores, planned half busy: 4 of 1.6 for each 1,000/s.
    expect(needs(86_400_000 * 2.5, 1).shards).toBe(1);
    expect(needs(86_400_000 * 2.6, 1).shards).toBe(2);
    // 15.5 GB of cache for 100 bytes of each record.
    expect(needs(1, 155e6).shards).toBe(1);
    expect(needs(1, 156e6).shards).toBe(2);
  });
});

it('the model of files counts chunks of the service', () => {
  const [one, two] = [CHUNK_BYTES, CHUNK_BYTES + 1].map((bytes) => planFiles({ files: 1e9, bytes }));
  expect((two?.databaseGb ?? 0) - (one?.databaseGb ?? 0)).toBeCloseTo(131);
  expect(two?.besideBucketGb).toBe(one?.besideBucketGb);
  expect(one?.bucketGb).toBe(CHUNK_BYTES);
  expect(one?.oplogGb).toBeGreaterThan(CHUNK_BYTES);
});

describe('the simulated queue', () => {
  const services = [
    { share: 0.9, time: 100 },
    { share: 0.1, time: 1_000 },
  ];
  const simulate = (options: { processes: number; load: number; isShared?: boolean }) =>
    simulateQueue({ services, requests: 400_000, ...options });

  it.each([0.5, 0.8])('has the mean wait of Pollaczek and Khinchine at a load of %d', (load) => {
    const mean = 0.9 * 100 + 0.1 * 1_000;
    const square = 0.9 * 100 ** 2 + 0.1 * 1_000 ** 2;
    const expected = ((load / mean) * square) / (2 * (1 - load));
    for (const processes of [1, 4]) {
      expect(simulate({ processes, load }).mean / expected).toBeGreaterThan(0.95);
      expect(simulate({ processes, load }).mean / expected).toBeLessThan(1.05);
    }
  });

  it('is shorter when processes share it, and longer with more load', () => {
    const own = simulate({ processes: 4, load: 0.8 });
    const shared = simulate({ processes: 4, load: 0.8, isShared: true });
    const busier = simulate({ processes: 4, load: 0.9, isShared: true });
    for (const key of ['mean', 'p99'] as const) {
      expect(shared[key]).toBeLessThan(own[key]);
      expect(shared[key]).toBeLessThan(busier[key]);
    }
  });
});

it('docs/capacity.md has the tables of docs/capacity.json, and the pool of this version', { tags: 'long' }, () => {
  expect(measured.poolSize).toBe(POOL_SIZE);
  const page = readFileSync(join(docs, 'capacity.md'), 'utf8');
  const tables = Object.values(capacityTables(measured));
  expect(tables).toHaveLength(5);
  for (const table of tables) expect(page).toContain(table);
});
