import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
/** The release before this version, as `npm pack` made it. */
const EARLIER = join(import.meta.dirname, 'releases', 'user-collection-service-1.0.0.tgz');

/**
 * Unpacks the release before this version, or the one in `RELEASE_TARBALL`, into an empty folder,
 * and returns its server program. Its dependencies are those of this repository, so that no
 * registry is needed.
 */
export function unpackRelease(folder: string): string {
  const target = join(folder, 'release');
  mkdirSync(target);
  execFileSync('tar', ['-xzf', process.env.RELEASE_TARBALL ?? EARLIER, '-C', target, '--strip-components', '1']);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(target, 'dist', 'server.js');
}
