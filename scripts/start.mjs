// npm start: the service, from a fresh clone or an installed one. package.json runs it by `exec`, in place of npm's shell:
// a shell dies of a signal without passing it on, and npm then returns before the service has stopped. The shell of
// Windows has no `exec`, and no signals: there the first command fails, and what stands after || runs.
import { build, install, root } from './setup.mjs';

install();
build();
process.chdir(root);
await import('../dist/server.js');
