// npm start: the command `serve`, from a fresh clone or an installed one. Arguments are its
// options.
import { build, install, readSettings, root } from './setup.mjs';

install({ tests: false });
build();
readSettings();
process.chdir(root);
process.argv.splice(2, 0, 'serve');
await import('../dist/cli.js');
