// npm start: the service, from a fresh clone or an installed one.
import { build, install, root } from './setup.mjs';

install();
build();
process.chdir(root);
await import('../dist/server.js');
