// @module-tag long

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createLogger } from '../../src/platform/core/logger.ts';
import { type Connection, connectDatabase } from '../../src/platform/database/client.ts';
import { createJobLocks, createJobModel } from '../../src/platform/jobs/job-locks.ts';
import { createJobRunner, type Job, type JobRunner } from '../../src/platform/jobs/job-runner.ts';
import { startCommandTap } from '../support/database/command-tap.ts';
import { randomName } from '../support/database/databases.ts';
import { databaseUri, Leftovers, Process } from '../support/server/process.ts';

const POLL = { timeout: 30_000, interval: 20 };
const uri = databaseUri(randomName());
const leftovers = new Leftovers();
let connection: Connection;
const runners: JobRunner[] = [];

beforeAll(async () => {
  connection = await connectDatabase(uri);
});
afterAll(async () => {
  await Promise.all(runners.map((runner) => runner.stop()));
  await leftovers.clear();
  await connection.close();
});

const jobs = () => createJobModel(connection).collection;

/** A runner as each server has one. */
function startRunner(...own: Job[]): JobRunner {
  const logger = createLogger({ logLevel: 'silent' });
  const runner = createJobRunner({ locks: createJobLocks(jobs()), jobs: own, logger });
  runner.start();
  runners.push(runner);
  return runner;
}

// Each has jobs of its own names, and waits most of the time.
describe.concurrent('A job', () => {
  it('runs on one of three servers at a time, and each step once', async ({ expect }) => {
    const running = new Set<number>();
    let most = 0;
    let steps = 0;
    const runOn = (server: number): Job => ({
      name: 'alone',
      everyMs: 20,
      async run() {
        running.add(server);
        most = Math.max(most, running.size);
        await sleep(10);
        running.delete(server);
        steps += 1;
        return steps % 4 !== 0;
      },
    });
    const all = [1, 2, 3].map((server) => startRunner(runOn(server)));
    await expect.poll(() => steps, POLL).toBeGreaterThan(60);
    await Promise.all(all.map((runner) => runner.stop()));
    expect(most).toBe(1);
    expect(all.reduce((sum, runner) => sum + (runner.states()[0]?.steps ?? 0), 0)).toBe(steps);
  });

  it('keeps its lock when the release of an earlier turn of the same server arrives late', async ({ expect }) => {
    const locks = createJobLocks(jobs());
    const [earlier, later] = [new ObjectId(), new ObjectId()];
    expect(await locks.hold('late', false, earlier)).toBe(true);
    expect(await locks.hold('late', true, later)).toBe(true);
    await locks.release('late', 0, earlier);
    expect(await createJobLocks(jobs()).hold('late', true, new ObjectId())).toBe(false);
    await locks.release('late', 0, later);
    expect(await createJobLocks(jobs()).hold('late', true, new ObjectId())).toBe(true);
  });

  it('runs at once when the clock of MongoDB was set back by an hour', async ({ expect }) => {
    const later = new Date(Date.now() + 60 * 60 * 1_000);
    const times = { until: later, at: later, next: later };
    for (const owner of ['', 'a server that died']) {
      const name = `set back, '${owner}'`;
      await jobs().insertOne({ _id: name, owner, turn: new ObjectId(), ...times });
      const [one, other] = [createJobLocks(jobs()), createJobLocks(jobs())];
      expect(await other.obstacles([name])).toEqual(new Map());
      expect(await one.hold(name, false, new ObjectId())).toBe(true);
      expect(await other.obstacles([name])).toEqual(new Map([[name, 'held']]));
      expect(await other.hold(name, true, new ObjectId())).toBe(false);
    }
  });

  it('waits for its interval over all servers, and runs at once when it is woken', async ({ expect }) => {
    const ranOn: string[] = [];
    const runOn = (server: string): Job => ({
      name: 'rare',
      everyMs: 60 * 60 * 1_000,
      run: async () => {
        ranOn.push(server);
        return false;
      },
    });
    startRunner(runOn('a'));
    await expect.poll(() => ranOn, POLL).toEqual(['a']);
    const b = startRunner(runOn('b'));
    await sleep(2_500); // b has looked twice
    expect(ranOn).toEqual(['a']);
    b.wake('rare');
    await expect.poll(() => ranOn, POLL).toEqual(['a', 'b']);
    b.wake('unknown');
  });

  it('costs an idle server one read for each check of all jobs, and no write', async ({ expect }) => {
    const tap = await startCommandTap(new URL(uri));
    const own = new URL(uri);
    own.port = String(tap.port);
    const tapped = await connectDatabase(own.href);
    const collection = createJobModel(tapped).collection;
    const names = ['one', 'two', 'three'].map((name) => `idle-${name}`);
    const idle = names.map((name): Job => ({ name, everyMs: 60 * 60 * 1_000, run: async () => false }));
    startRunner(...idle);
    const steps = () => jobs().countDocuments({ _id: { $in: names }, next: { $gt: new Date() } });
    await expect.poll(steps, POLL).toBe(names.length);
    const runner = createJobRunner({
      locks: createJobLocks(collection),
      jobs: idle,
      logger: createLogger({ logLevel: 'silent' }),
    });
    runner.start();
    runners.push(runner);
    const sent = () => tap.commands().filter((command) => Object.values(command)[0] === 'jobs');
    await expect.poll(() => sent().length, POLL).toBe(3);
    expect(sent().map((command) => Object.keys(command)[0])).toEqual(['find', 'find', 'find']);
    await runner.stop();
    await tapped.close();
    await tap.close();
  });

  it('takes no lock while it has no work, and runs when it has some or cannot say', async ({ expect }) => {
    let answer: () => Promise<boolean> = async () => false;
    let [asked, steps] = [0, 0];
    const runner = startRunner({
      name: 'asked',
      everyMs: 20,
      hasWork() {
        asked += 1;
        return answer();
      },
      async run() {
        steps += 1;
        return false;
      },
    });
    // The first step tells the time from which the job is due.
    await expect.poll(() => steps, POLL).toBe(1);
    const turn = async () => (await jobs().findOne({ _id: 'asked' }))?.turn?.toHexString();
    const first = await turn();
    await expect.poll(() => asked, POLL).toBeGreaterThan(5);
    runner.wake('asked');
    const before = asked;
    await expect.poll(() => asked, POLL).toBeGreaterThan(before + 1);
    expect([steps, await turn()]).toEqual([1, first]);
    answer = async () => steps < 3;
    await expect.poll(() => steps, POLL).toBe(3);
    answer = () => Promise.reject(new Error('the database is away'));
    await expect.poll(() => steps, POLL).toBeGreaterThan(5);
  });

  it('is run for a wake that found its lock taken, as soon as the lock is free', async ({ expect }) => {
    const ranOn: string[] = [];
    let end = (): void => undefined;
    const runOn = (server: string): Job => ({
      name: 'wanted',
      everyMs: 60 * 60 * 1_000,
      async run() {
        ranOn.push(server);
        if (server === 'a') await new Promise<void>((resolve) => (end = resolve));
        return false;
      },
    });
    startRunner(runOn('a'));
    await expect.poll(() => ranOn, POLL).toEqual(['a']);
    const b = startRunner(runOn('b'));
    b.wake('wanted');
    await sleep(1_500); // b has looked again
    expect(ranOn).toEqual(['a']);
    end();
    await expect.poll(() => ranOn, POLL).toEqual(['a', 'b']);
  });

  it('is run for a wake before the start', async ({ expect }) => {
    const job = (ran: () => void): Job => ({
      name: 'early',
      everyMs: 60 * 60 * 1_000,
      run: async () => {
        ran();
        return false;
      },
    });
    let first = 0;
    startRunner(job(() => (first += 1)));
    await expect.poll(() => first, POLL).toBe(1);
    await expect.poll(async () => (await jobs().findOne({ _id: 'early' }))?.owner, POLL).toBe('');
    let second = 0;
    const runner = createJobRunner({
      locks: createJobLocks(jobs()),
      jobs: [job(() => (second += 1))],
      logger: createLogger({ logLevel: 'silent' }),
    });
    runner.wake('early');
    runner.start();
    runners.push(runner);
    await expect.poll(() => second, POLL).toBe(1);
  });

  it('runs again for a wake during its step', async ({ expect }) => {
    let steps = 0;
    const runner = startRunner({
      name: 'again',
      everyMs: 60 * 60 * 1_000,
      async run() {
        steps += 1;
        if (steps === 1) runner.wake('again');
        return false;
      },
    });
    await expect.poll(() => steps, POLL).toBe(2);
  });

  it('is told of a wake during its step', async ({ expect }) => {
    let end = (): void => undefined;
    let wakes = 0;
    let steps = 0;
    const runner = startRunner({
      name: 'told',
      everyMs: 60 * 60 * 1_000,
      async run() {
        steps += 1;
        if (steps === 1) await new Promise<void>((resolve) => (end = resolve));
        return false;
      },
      onWake() {
        wakes += 1;
        end();
      },
    });
    await expect.poll(() => steps, POLL).toBe(1);
    runner.wake('told');
    expect(wakes).toBe(1);
    await expect.poll(() => steps, POLL).toBe(2);
  });

  it('is repeated after an error, and its failures are counted', async ({ expect }) => {
    let calls = 0;
    const runner = startRunner({
      name: 'failing',
      everyMs: 10,
      async run() {
        calls += 1;
        if (calls < 3) throw new Error('a failure of the test');
        return false;
      },
    });
    await expect.poll(() => runner.states()[0], POLL).toMatchObject({ failures: 2, isRunning: false });
    await expect.poll(() => runner.states()[0]?.steps, POLL).toBeGreaterThan(0);
  });

  it('keeps its lock during a step that takes longer than the lock', async ({ expect }) => {
    let isRunning = false;
    let most = 0;
    const lost: boolean[] = [];
    const job: Job = {
      name: 'long',
      everyMs: 10,
      async run({ stillOwner }) {
        most = Math.max(most, isRunning ? 2 : 1);
        isRunning = true;
        await sleep(6_000);
        isRunning = false;
        lost.push(!stillOwner());
        return false;
      },
    };
    startRunner(job);
    startRunner(job);
    await expect.poll(() => lost, POLL).toEqual([false]);
    expect(most).toBe(1);
  });

  it('ends soon when its server stops, and another server continues at once', async ({ expect }) => {
    const job = (ran: () => void): Job => ({
      name: 'handed-over',
      everyMs: 10,
      async run({ signal }) {
        ran();
        await sleep(60_000, undefined, { signal }).catch(() => undefined);
        return true;
      },
    });
    let first = 0;
    let second = 0;
    const a = startRunner(job(() => (first += 1)));
    await expect.poll(() => first, POLL).toBe(1);
    const { owner } = (await jobs().findOne({ _id: 'handed-over' })) ?? {};
    startRunner(job(() => (second += 1)));
    await a.stop();
    await expect.poll(() => second, POLL).toBe(1);
    expect(first).toBe(1);
    expect((await jobs().findOne({ _id: 'handed-over' }))?.owner).not.toBe(owner);
  });

  it('is taken over when its server was killed, after its lock has ended', async ({ expect }) => {
    const killed = leftovers.keep(
      new Process([process.execPath, join(import.meta.dirname, '..', 'support', 'server', 'job-process.mjs')], {
        MONGODB_URI: uri,
      }),
    );
    await killed.waitForOutput(/running/);
    await killed.end('SIGKILL');
    const lock = await jobs().findOne({ _id: 'orphaned' });
    let startedAt: Date | undefined;
    startRunner({
      name: 'orphaned',
      everyMs: 10,
      async run() {
        startedAt ??= new Date();
        return false;
      },
    });
    await expect.poll(() => startedAt, POLL).toBeDefined();
    expect(startedAt?.getTime()).toBeGreaterThanOrEqual(lock?.until.getTime() ?? Number.NaN);
  });

  it('knows that its lock was lost when it could not be renewed', async ({ expect }) => {
    const name = 'lost';
    const seen: boolean[] = [];
    startRunner({
      name,
      everyMs: 10,
      async run({ signal, stillOwner }) {
        seen.push(stillOwner());
        // As if the server had been suspended until another one took the lock.
        await jobs().updateOne({ _id: name }, { $set: { owner: 'another', until: new Date(Date.now() + 60_000) } });
        await sleep(10_000, undefined, { signal }).catch(() => undefined);
        seen.push(stillOwner());
        return true;
      },
    });
    await expect.poll(() => seen, POLL).toEqual([true, false]);
    expect(await jobs().findOne({ _id: name })).toMatchObject({ owner: 'another' });
  });
});
