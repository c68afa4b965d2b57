import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The order of the folders: of those whose files take longest first. A worker that gets a long file
 * last works alone while the others have nothing left to do.
 */
const FOLDERS = ['test/browser', 'test/faults', 'test/startup', 'test/cli', 'test/security', 'test/http'];

/** Runs long files first, the same way on a fresh clone as after an earlier run. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byTime = await super.sort(files);
    const ranks = new Map(byTime.map((file) => [file, this.#rank(file)]));
    return byTime.sort((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
  }

  #rank({ moduleId }: TestSpecification): number {
    const path = relative(this.ctx.config.root, moduleId).split(sep).join('/');
    const folder = FOLDERS.findIndex((one) => path.startsWith(`${one}/`));
    return folder >= 0 ? folder : FOLDERS.length;
  }
}
