// Builds `server` (src/ to dist/) and `dashboard` (web/ to dist/web/) at the same time, or those
// that the arguments name. Checks no types: `npm run types` does.
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PROGRAMS = {
  server: [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'],
  dashboard: [join('node_modules', 'vite', 'bin', 'vite.js'), 'build', '-c', join('web', 'vite.config.ts')],
};

const parts = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PROGRAMS);
const codes = await Promise.all(parts.map((part) => run(PROGRAMS[part])));
if (parts.includes('server')) removeStale();
process.exitCode = Math.max(...codes);

/** Resolves with the exit code of a program of Node.js, 1 if a signal ended it. */
function run(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (code) => resolve(code ?? 1));
  });
}

/** Removes the modules of sources that no longer exist: the package would contain them. */
function removeStale() {
  const sources = new Set(readdirSync(join(root, 'src'), { recursive: true }));
  for (const name of readdirSync(join(root, 'dist'), { recursive: true })) {
    const [, path] = /^(.+)\.js(?:\.map)?$/.exec(name) ?? [];
    const isOfDashboard = name.startsWith(`web${sep}`);
    if (path && !isOfDashboard && !sources.has(`${path}.ts`)) rmSync(join(root, 'dist', name));
  }
}
