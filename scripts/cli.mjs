// npm run cli -- ...: the command-line tool, from a fresh clone or an installed one.
import { build, install } from './setup.mjs';

install({ tests: false });
build();
await import('../dist/cli.js');
