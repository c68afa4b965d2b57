// npm run test:soak -- --minutes 15: random faults under load for that time, then a check of the
// ledger. Exits with a nonzero code if anything was lost, applied twice or hung.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, install, run } from './setup.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '15' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  process.stderr.write('--minutes must be a number above 0\n');
  process.exit(2);
}
install();
build();
run(process.execPath, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', 'vitest.faults.config.ts'], {
  stdio: 'inherit',
  env: { ...process.env, SOAK_MINUTES: String(minutes) },
});
