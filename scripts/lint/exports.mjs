// Each export is named in another file.
import { filesIn, matchesIn, read, withProblem } from './repository.mjs';

const EXPORT = /^export (?:async )?(?:const|function\*?|class|interface|type) ([\w$]+)/gm;

export function unusedExports() {
  // A declaration file names what its module exports.
  const sources = filesIn(['.', 'src', 'web', 'test', 'scripts'], /(?<!\.d)\.(?:tsx?|m[jt]s)$/);
  const naming = new Map();
  for (const file of sources) {
    for (const name of read(file).match(/[\w$]+/g) ?? []) naming.set(name, (naming.get(name) ?? new Set()).add(file));
  }
  const unused = sources
    .flatMap((file) => matchesIn(file, EXPORT))
    .filter(({ match: [, name] }) => naming.get(name).size === 1);
  return withProblem(unused, ({ match: [, name] }) => `exports ${name}, which no other file names`);
}
