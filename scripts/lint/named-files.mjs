// The files and folders that documents name in backticks exist, from the root or from src/. Links
// are checked by citations.mjs.
import { documents, exists, matchesIn, withProblem } from './repository.mjs';

const PATH = /^(?:src|web|test|scripts|docs)\/|^[\w-]+(?:\/[\w.-]+)+\.(?:m?ts|tsx|mjs)$/;

export function namedFiles() {
  const missing = documents
    .flatMap((file) => matchesIn(file, /`([\w./-]+)`/g))
    .filter(({ match: [, name] }) => PATH.test(name) && !exists(name) && !exists(`src/${name}`));
  return withProblem(missing, ({ match: [, name] }) => `names ${name}, which does not exist`);
}
