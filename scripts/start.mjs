// npm start: the service, from a fresh clone or an installed one. package.json uses `exec` to
// replace the shell of npm: a shell ends on a signal without forwarding it, and npm then returns
// before the service has stopped. The shell of Windows has no `exec` and no signals: there the
// first command fails, and the one after || runs.
import { build, install, root } from './setup.mjs';

install({ tests: false });
build();
process.chdir(root);
await import('../dist/server.js');
