// npm test: all tests, from a fresh clone or an installed one. Passes arguments to vitest:
// `npm test -- test/http`.
import { join } from 'node:path';
import { build, install, run } from './setup.mjs';

install();
build();
run(process.execPath, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
