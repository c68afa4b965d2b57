// The packages that are imported are those that package.json and test/package.json declare, each
// once, and those that docs/dependencies.md lists.
import { filesIn, importsOf, matchesIn, readJson, unmatched, withProblem } from './repository.mjs';

const MANIFEST = 'package.json';
const LOCK = 'package-lock.json';
const DOCUMENT = 'docs/dependencies.md';
/** What builds the pages, without an import. */
const PROGRAMS = ['@vitejs/plugin-react', 'typescript', 'vite'].map((name) => ({ file: MANIFEST, name }));
/** It has native code. */
const WITH_SCRIPT = 'node_modules/bcrypt';

export function packages() {
  const dependencies = declaredIn(MANIFEST, 'dependencies');
  const devDependencies = declaredIn(MANIFEST, 'devDependencies');
  const others = [...dependencies, ...devDependencies];
  const forTests = declaredIn('test/package.json', 'devDependencies');
  const ownOfTests = unmatched(forTests, others);
  const served = importedBy(['src']);
  const built = unmatched([...importedBy(['web/src', 'web/embed']), ...PROGRAMS], dependencies);
  const all = [...others, ...ownOfTests];
  const listed = matchesIn(DOCUMENT, /^\| (`.+?) \|/gm).flatMap((row) =>
    row.match[1].split(', ').map((name) => ({ ...row, name: name.replaceAll('`', '') })),
  );
  return [
    ...withProblem(unmatched(served, dependencies), ({ name }) => `imports ${name}, which is not in dependencies`),
    ...withProblem(unmatched(dependencies, served), ({ name }) => `declares ${name}, which src/ does not import`),
    ...withProblem(unmatched(built, devDependencies), ({ name }) => `imports ${name}, which is not in devDependencies`),
    ...withProblem(unmatched(devDependencies, built), ({ name }) => `declares ${name}, which web/ does not import`),
    ...withProblem(unmatched(forTests, ownOfTests), ({ name }) => `declares ${name}, which ${MANIFEST} declares`),
    ...withProblem(unmatched(all, listed), ({ name }) => `declares ${name}, which ${DOCUMENT} does not list`),
    ...withProblem(unmatched(listed, all), ({ name }) => `lists ${name}, which is declared nowhere or listed twice`),
    ...withProblem(installScripts(), ({ name }) => `${name} runs a script when the service is installed`),
  ];
}

function declaredIn(file, member) {
  return Object.keys(readJson(file)[member]).map((name) => ({ file, name }));
}

/** The packages that files import when they run, each with one import. */
function importedBy(folders) {
  const imports = filesIn(folders, /\.(?:tsx?|css)$/).flatMap(importsOf);
  const running = imports.filter(({ name, isType }) => name !== undefined && !isType);
  return [...new Map(running.map((one) => [one.name, one])).values()];
}

function installScripts() {
  return Object.entries(readJson(LOCK).packages)
    .filter(([name, { dev, hasInstallScript }]) => hasInstallScript && !dev && name !== WITH_SCRIPT)
    .map(([name]) => ({ file: LOCK, name }));
}
