// npm start: the command `serve`, from a fresh clone or an installed one. Arguments are its
// options.
import { build, install, root } from './setup.mjs';

install({ tests: false });
build();
process.chdir(root);
process.argv.splice(2, 0, 'serve');
await import('../dist/cli.js');
