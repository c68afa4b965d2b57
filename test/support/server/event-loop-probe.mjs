// Loaded into a server by `--import`: on SIGWINCH, which stops no server, prints the longest time
// that its event loop was blocked since the last time, and that of a fixed computation in this
// process.
import { pbkdf2Sync } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** 50 ms on the machine on which the promises are measured (docs/performance.md). */
const ITERATIONS = 300_000;
/** Until the delay of the computation itself is recorded. */
const SETTLED_MS = 50;

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let lines = 0;
process.on('SIGWINCH', () => {
  const blockedMs = delay.max / 1e6;
  const from = performance.now();
  pbkdf2Sync('password', 'salt', ITERATIONS, 32, 'sha256');
  const unitMs = performance.now() - from;
  setTimeout(() => {
    delay.reset();
    lines += 1;
    process.stdout.write(`event loop ${lines}: ${blockedMs} ${unitMs};\n`);
  }, SETTLED_MS);
});
