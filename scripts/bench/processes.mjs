// Starts the measured processes and reads their CPU time and memory from /proc.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TICKS_PER_SECOND = 100;

/**
 * Starts a Node.js program and resolves with its process and the URL that it prints. Its output
 * goes to a file, as under a service manager.
 */
export async function startServer(args, env) {
  const log = join(mkdtempSync(join(tmpdir(), 'user-collection-bench-log-')), 'log');
  const file = openSync(log, 'w');
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', file, 'inherit'],
  });
  closeSync(file);
  // Also if the benchmark itself fails.
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
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  rmSync(dirname(log), { recursive: true });
}

/** CPU time of a process since its start, in microseconds. */
export function cpuMicroseconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

/** The processes that a process has started. */
export function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

/** Resident memory of a process in MB. */
export function memoryMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
