// Submissions at a fixed rate beside other work.
import { setTimeout as sleep } from 'node:timers/promises';
import { percentiles } from './report.mjs';

/** Submissions each second: a busy form. */
export const RATE = 100;

/**
 * Sends submissions to an app for `ms` milliseconds, or until `ended` resolves; resolves with their
 * latency.
 */
export async function submissions(url, appId, { ms = Number.POSITIVE_INFINITY, ended = new Promise(() => {}) }) {
  const times = [];
  const headers = { 'content-type': 'application/json', 'x-app-id': appId };
  const pending = [];
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  ended.then(over, over);
  const startedAt = performance.now();
  for (let number = 0; !isOver && (number * 1_000) / RATE < ms; number += 1) {
    await sleep(Math.max(0, startedAt + (number * 1_000) / RATE - performance.now()));
    const body = JSON.stringify({ email: `s${Math.random()}@example.com`, data: { name: 'Ada', age: 36 } });
    const begun = performance.now();
    pending.push(
      fetch(`${url}/v1/users`, { method: 'POST', headers, body }).then(async (response) => {
        if (!response.ok) throw new Error(`submission: ${response.status}`);
        await response.text();
        times.push(performance.now() - begun);
      }),
    );
  }
  await Promise.all(pending);
  return percentiles(times);
}

/** A line of a report. */
export function submissionsLine(name, { median, p99 }) {
  return `Submissions ${name}, ${RATE}/s: median ${median} ms, p99 ${p99} ms`;
}
