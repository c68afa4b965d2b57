// npm run test:soak -- --minutes 15: random faults under load for that time, then a check of the
// ledger. Exits with a nonzero code if anything was lost, applied twice or hung.
import { parseArgs } from 'node:util';
import { build, install, run, VITEST } from './setup.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '15' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  process.stderr.write('--minutes must be a number above 0\n');
  process.exit(2);
}
install();
build();
run(process.execPath, [VITEST, 'run', '--config', 'vitest.faults.config.ts'], {
  stdio: 'inherit',
  env: { ...process.env, SOAK_MINUTES: String(minutes) },
});
