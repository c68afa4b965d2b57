// The files and folders that documents name in backticks exist, from the root or from src/, and so
// do the sources of the built modules that scripts and tests import. Links are checked by
// citations.mjs.
import { documents, exists, filesIn, matchesIn, withProblem } from './repository.mjs';

const PATH = /^(?:src|web|test|scripts|docs)\/|^[\w-]+(?:\/[\w.-]+)+\.(?:m?ts|tsx|mjs)$/;

export function namedFiles() {
  const missing = documents
    .flatMap((file) => matchesIn(file, /`([\w./-]+)`/g))
    .filter(({ match: [, name] }) => PATH.test(name) && !exists(name) && !exists(`src/${name}`));
  const unbuilt = filesIn(['scripts', 'test', 'deploy'], /\.(?:m?ts|mjs)$/)
    .flatMap((file) => matchesIn(file, /\.\.\/dist\/([\w./-]+)\.js['"`]/g))
    .filter(({ match: [, name] }) => !name.includes('client') && !exists(`src/${name}.ts`));
  return [
    ...withProblem(missing, ({ match: [, name] }) => `names ${name}, which does not exist`),
    ...withProblem(unbuilt, ({ match: [, name] }) => `imports dist/${name}.js, but src/${name}.ts does not exist`),
  ];
}
