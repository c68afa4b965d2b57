// npm run cli -- ...: the command-line tool, from a fresh clone or an installed one.
import { build, install, readSettings } from './setup.mjs';

install({ tests: false });
build();
readSettings();
await import('../dist/cli.js');
