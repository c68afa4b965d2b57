import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** The release before the first one with numbered migrations. */
const COMMIT = '036f889';

/**
 * Builds the earlier release in a folder of its own, once, and returns its server program. It needs
 * the history of the repository and the package registry (or the cache of npm), and throws without
 * them.
 */
export function buildEarlierRelease(): string {
  const folder = join(tmpdir(), `user-collection-release-${COMMIT}`);
  const program = join(folder, 'dist', 'server.js');
  if (existsSync(program)) return program;
  const building = `${folder}-${process.pid}`;
  const run = (command: string, args: string[], cwd = building): Buffer =>
    execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 30 });
  try {
    run('git', ['cat-file', '-e', `${COMMIT}^{commit}`], root);
  } catch {
    throw new Error(`this checkout has no commit ${COMMIT}: run the test in a clone (git fetch --unshallow)`);
  }
  mkdirSync(building, { recursive: true });
  try {
    writeFileSync(join(building, 'source.tar'), run('git', ['archive', COMMIT], root));
    run('tar', ['-xf', 'source.tar']);
    run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']);
    compile();
    renameSync(building, folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  return program;

  /** The packages with types are not installed, so the compiler reports errors; it still writes. */
  function compile(): void {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    try {
      run(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--noCheck']);
    } catch (error) {
      if (!existsSync(join(building, 'dist', 'server.js'))) throw error;
    }
  }
}
