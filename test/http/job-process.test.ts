// @module-tag long

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, it, type TestContext } from 'vitest';
import { createLogger } from '../../src/platform/core/logger.ts';
import { connectDatabase } from '../../src/platform/database/client.ts';
import { createJobLocks, createJobModel } from '../../src/platform/jobs/job-locks.ts';
import { createJobRunner } from '../../src/platform/jobs/job-runner.ts';
import { createProcessWorker } from '../../src/platform/jobs/process-worker.ts';
import { randomName } from '../support/database/databases.ts';
import { databaseUri, Process } from '../support/server/process.ts';

const POLL = { timeout: 30_000, interval: 100 };
const program = pathToFileURL(join(import.meta.dirname, '..', 'support', 'server', 'served-job.mjs'));

/** A runner as a server has one, whose job runs in a process, with a database of its own. */
async function startRunner(finished: TestContext['onTestFinished']) {
  const name = randomName();
  const uri = databaseUri(name);
  const connection = await connectDatabase(uri);
  const work = () => connection.collection('work');
  const hasWork = async (): Promise<boolean> => (await work().findOne({ left: { $gt: 0 } })) !== null;
  const log: Record<string, unknown>[] = [];
  const logger = createLogger({ logLevel: 'info' }, { write: (line) => log.push(JSON.parse(line)) });
  // The title is how the processes of this runner are found.
  const job = { name: 'served', everyMs: 100, hasWork, program, flags: [`--title=${name}`], setup: { uri } };
  const workers = [createProcessWorker(job, logger)];
  const locks = createJobLocks(createJobModel(connection).collection);
  const runner = createJobRunner({ locks, jobs: [], workers, logger });
  finished(async () => {
    await runner.stop();
    await connection.close();
  });
  runner.start();

  /** The processes of the job. */
  function processes(): number[] {
    const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
    const own = lines.split('\n').filter((line) => line.includes(name));
    return own.map((line) => Number.parseInt(line, 10));
  }

  return { work, log, logger, runner, processes, state: () => runner.states()[0] };
}

// Each waits for a process most of the time.
describe.concurrent('the process of a job', () => {
  it('a job runs in a process while work waits, and the process ends when none does', async ({
    expect,
    onTestFinished,
  }) => {
    const { work, log, runner, processes, state } = await startRunner(onTestFinished);
    expect(processes()).toEqual([]);
    await work().insertOne({ left: 3 });
    await expect.poll(state, POLL).toMatchObject({ steps: expect.any(Number), isRunning: false });
    await expect.poll(async () => (await work().findOne())?.left, POLL).toBe(0);
    await expect.poll(processes, POLL).toEqual([]);
    expect(await work().findOne()).toMatchObject({ closed: true });
    const steps = state()?.steps ?? 0;
    expect(steps).toBeGreaterThanOrEqual(3);
    expect(log.filter(({ msg }) => msg === 'a step').map(({ left, level }) => [left, level])).toEqual([
      [3, 30],
      [2, 30],
      [1, 30],
    ]);
    // A second process continues the count.
    await work().updateOne({}, { $set: { left: 2 } });
    runner.wake('served');
    await expect.poll(async () => (await work().findOne())?.left, POLL).toBe(0);
    await expect.poll(() => state()?.steps, POLL).toBeGreaterThanOrEqual(steps + 2);
    expect(state()?.failures).toBe(0);
  });

  it('the process starts again after a crash, which counts as a failure and is logged', async ({
    expect,
    onTestFinished,
  }) => {
    const { work, log, processes, state } = await startRunner(onTestFinished);
    await work().insertOne({ left: 1_000_000 });
    await expect.poll(() => state()?.steps, POLL).toBeGreaterThan(0);
    const [pid = 0] = processes();
    const before = (await work().findOne())?.left;
    process.kill(pid, 'SIGKILL');
    const crash = { job: 'served', reason: 'SIGKILL', level: 40 };
    await expect.poll(() => log, POLL).toContainEqual(expect.objectContaining(crash));
    expect(state()?.failures).toBe(1);
    await expect.poll(processes, POLL).not.toEqual([]);
    expect(processes()).not.toContain(pid);
    await expect.poll(async () => (await work().findOne())?.left, POLL).toBeLessThan((before ?? 0) - 100);
  });

  it('a process that cannot be started counts as a failure, and is tried again', async ({ expect }) => {
    const log: Record<string, unknown>[] = [];
    const logger = createLogger({ logLevel: 'info' }, { write: (line) => log.push(JSON.parse(line)) });
    // No file: the start throws before there is a process.
    const nothing = { program: new URL('http://127.0.0.1/'), flags: [], setup: {} };
    const worker = createProcessWorker(
      { name: 'nothing', everyMs: 100, hasWork: async () => true, ...nothing },
      logger,
    );
    worker.start();
    for (const failures of [1, 2]) {
      worker.wake();
      await expect.poll(() => worker.state.failures, POLL).toBe(failures);
      await expect.poll(worker.isWorking, POLL).toBe(false);
    }
    expect(log).toContainEqual(expect.objectContaining({ job: 'nothing', reason: 'TypeError', level: 40 }));
  });

  it('a step that fails is counted and logged by the server', async ({ expect, onTestFinished }) => {
    const { work, log, state } = await startRunner(onTestFinished);
    await work().insertOne({ left: 1, fails: true });
    const failure = { job: 'served', reason: 'TypeError', level: 40 };
    await expect.poll(() => log, POLL).toContainEqual(expect.objectContaining(failure));
    await expect.poll(() => state()?.failures, POLL).toBe(1);
  });

  it('stop ends the process in an orderly way, and no other one starts', async ({ expect, onTestFinished }) => {
    const { work, log, runner, processes, state } = await startRunner(onTestFinished);
    await work().insertOne({ left: 1_000_000 });
    await expect.poll(() => state()?.steps, POLL).toBeGreaterThan(0);
    await runner.stop();
    expect(processes()).toEqual([]);
    expect(await work().findOne()).toMatchObject({ closed: true });
    runner.wake('served');
    expect(processes()).toEqual([]);
    expect(log.filter(({ level }) => level === 40)).toEqual([]);
  });

  it('signals to the process do not end it, because the server does', async ({ expect, onTestFinished }) => {
    const { work, processes, state } = await startRunner(onTestFinished);
    await work().insertOne({ left: 1_000_000 });
    await expect.poll(() => state()?.steps, POLL).toBeGreaterThan(0);
    const [pid = 0] = processes();
    const before = (await work().findOne())?.left;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    await expect.poll(async () => (await work().findOne())?.left, POLL).toBeLessThan((before ?? 0) - 1_000);
    expect(processes()).toEqual([pid]);
  });

  it('the process of imports logs that its database is out of reach, without the password', async ({ expect }) => {
    const server = `
    import { createLogger } from './dist/platform/core/logger.js';
    import { createProcessWorker } from './dist/platform/jobs/process-worker.js';
    const logger = createLogger({ logLevel: 'info' }, { write: (line) => process.stdout.write(line) });
    const job = { name: 'imports', everyMs: 1_000, hasWork: async () => true, flags: [] };
    const program = new URL('file://' + process.cwd() + '/dist/import-process.js');
    const setup = { uri: 'mongodb://operator:the-password@127.0.0.1:1/forms', sessionSecret: 'the session secret' };
    const worker = createProcessWorker({ ...job, program, setup }, logger);
    worker.start();
    worker.wake();
  `;
    const { code, stdout, stderr } = await new Process([process.execPath, '--input-type=module', '-e', server]).ended;
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect(messages).toEqual(['imports cannot run', 'the process of a background job ended and will be started again']);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('the-password');
  });
});
