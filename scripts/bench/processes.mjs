// Starts the processes that are measured, and reads what they cost from /proc.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TICKS_PER_SECOND = 100;

/** The flags that `npm start` gives to Node. */
export const START_FLAGS = JSON.parse(readFileSync('package.json', 'utf8'))
  .scripts.start.split(' ')
  .filter((word, index, words) => word.startsWith('--') && words.indexOf(word) === index);

/** Runs a Node program and resolves with its process and the URL that it prints. Its log goes to a file, as under a service manager. */
export async function startServer(args, env) {
  const log = join(mkdtempSync(join(tmpdir(), 'user-collection-bench-log-')), 'log');
  const file = openSync(log, 'w');
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', file, 'inherit'],
  });
  closeSync(file);
  // Also when the bench itself fails.
  process.once('exit', () => child.kill());
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`${args.join(' ')} ended with ${child.exitCode}: ${readFileSync(log, 'utf8')}`);
    const url = /http:\/\/[\w.]+:\d+/.exec(readFileSync(log, 'utf8'))?.[0];
    if (url) return { child, log, pid: child.pid, url: url.replace('localhost', '127.0.0.1') };
    await sleep(50);
  }
}

export async function stopServer({ child, log }) {
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await ended;
  rmSync(dirname(log), { recursive: true });
}

/** Processor time used by a process since it began, in microseconds. */
export function cpuMicroseconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

/** Memory of a process now, in MB. */
export function memoryMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
