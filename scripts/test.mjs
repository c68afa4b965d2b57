// npm test: the tests of every change, from a fresh clone or an installed one. With the name of a
// file or folder, its tests, also those of `npm run test:all`: `npm test -- test/http`.
import { build, install, run, VITEST } from './setup.mjs';

install();
build();
const args = process.argv.slice(2);
const isWhole = args.every((arg) => arg.startsWith('-'));
run(process.execPath, [VITEST, 'run', ...(isWhole ? ['--project=change', '--tags-filter=!long'] : []), ...args], {
  stdio: 'inherit',
});
