// npm run test:stress -- FILE...: runs test files 20 times, one run after another, beside a busy
// loop for each core. Ends with the first run that fails.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { build, install, root, say, VITEST } from './setup.mjs';

const RUNS = 20;

const files = process.argv.slice(2);
if (files.length === 0) {
  say('Name the test files: npm run test:stress -- test/http/views.test.ts');
  process.exit(2);
}
install();
build();
// Threads, which end with this process.
for (let core = 0; core < availableParallelism(); core += 1) new Worker('for (;;);', { eval: true }).unref();
for (let run = 1; run <= RUNS && !process.exitCode; run += 1) {
  const { status } = spawnSync(process.execPath, [VITEST, 'run', '--reporter=dot', ...files], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
  say(`Run ${run} of ${RUNS}: ${status === 0 ? 'passed' : 'failed'}`);
}
process.exit();
