import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The order of the folders: of those whose files take longest first. A worker that gets a long file
 * last works alone while the others have nothing left to do.
 */
const FOLDERS = ['test/browser', 'test/faults', 'test/startup', 'test/cli', 'test/security', 'test/http'];
/** Long files of other folders, or longer than the rest of their folder. */
const LONG = [
  'test/browser/large/large.test.ts',
  'test/browser/accessibility.test.ts',
  'test/browser/webhooks.test.ts',
  'test/browser/finding.test.ts',
  'test/http/imports-races.test.ts',
  'test/security/exports.test.ts',
  'test/security/embedded-access.test.ts',
  'test/unit/http/listener.test.ts',
];

/** Runs long files first, the same way on a fresh clone as after an earlier run. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byTime = await super.sort(files);
    const ranks = new Map(byTime.map((file) => [file, this.#rank(file)]));
    return byTime.sort((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
  }

  #rank({ moduleId, project }: TestSpecification): number {
    const path = relative(this.ctx.config.root, moduleId).split(sep).join('/');
    // A worker that has run a file of the other project begins anew.
    if (project.name === 'measured') return LONG.length + FOLDERS.length + 1;
    const long = LONG.indexOf(path);
    if (long >= 0) return long;
    const folder = FOLDERS.findIndex((one) => path.startsWith(`${one}/`));
    return LONG.length + (folder >= 0 ? folder : FOLDERS.length);
  }
}
