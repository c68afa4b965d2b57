// npm pack: builds what the package contains, also in a fresh clone.
import { build, install } from './setup.mjs';

install({ tests: false });
build();
