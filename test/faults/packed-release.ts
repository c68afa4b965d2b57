import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/**
 * Installs a packed release in an empty folder and returns its server program: the tarball in
 * `RELEASE_TARBALL`, as `npm pack` makes it, or else this version. It needs the package registry or
 * the cache of npm.
 */
export function installRelease(folder: string): string {
  const npm = (args: string[], cwd: string): string =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  npm(['install', '--omit=dev', ...quiet, process.env.RELEASE_TARBALL ?? pack()], folder);
  return join(folder, 'node_modules', 'user-collection-service', 'dist', 'server.js');

  /** `npm run test:faults` has built dist. */
  function pack(): string {
    const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root));
    return join(folder, packed.filename);
  }
}
