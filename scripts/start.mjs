// npm start: the service, from a fresh clone or an installed one. package.json runs it by `exec`, in place of npm's shell, which would die of a signal and
// not pass it on.
import { build, install, root } from './setup.mjs';

install();
build();
process.chdir(root);
await import('../dist/server.js');
