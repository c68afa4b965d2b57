// The files of the repository, as the rules of this folder read them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../setup.mjs';

/** Folders of programs and data. Folders whose name begins with a dot are left out too. */
const SKIPPED = new Set(['node_modules', 'dist', 'data', 'coverage']);
/** In TypeScript and CSS. */
const IMPORT = /^(?:@?import|export)\b(\s+type\b)?(?:[^;'"]*?\bfrom)?\s*['"]([^'"]+)['"]|import\(\s*'([^']+)'/gm;

export const SOURCE = /\.tsx?$/;
/** The paths of all files, from the root. */
const FILES = filesBelow('');
const texts = new Map();

function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return [path];
    const isSkipped = SKIPPED.has(entry.name) || entry.name.startsWith('.');
    return entry.isDirectory() && !isSkipped ? filesBelow(path) : [];
  });
}

/**
 * The files that match, in the folders and their subfolders; `.` is the root without its folders.
 */
export function filesIn(folders, pattern) {
  const isIn = (file, folder) => (folder === '.' ? dirname(file) === '.' : file.startsWith(`${folder}/`));
  return FILES.filter((file) => pattern.test(file) && folders.some((folder) => isIn(file, folder)));
}

/** The Markdown files of the repository. */
export const documents = FILES.filter((file) => file.endsWith('.md'));

export const exists = (path) => existsSync(join(root, path));

export function read(file) {
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
  texts.set(file, text);
  return text;
}

export const readJson = (file) => JSON.parse(read(file));

export function write(file, text) {
  writeFileSync(join(root, file), text);
  texts.set(file, text);
}

/** The matches of a pattern in a file, each with its line. */
export function matchesIn(file, pattern) {
  const text = read(file);
  return [...text.matchAll(pattern)].map((match) => ({ file, line: lineAt(text, match.index), match }));
}

/** The entries with a name that the others do not have, or not as often. */
export function unmatched(entries, others) {
  const left = others.map(({ name }) => name);
  return entries.filter(({ name }) => {
    const index = left.indexOf(name);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
}

/** Each entry with its problem. @param problemOf undefined is none */
export function withProblem(entries, problemOf) {
  return entries
    .map((entry) => ({ ...entry, problem: problemOf(entry) }))
    .filter(({ problem }) => problem !== undefined);
}

/** The line of a position in a text. */
export const lineAt = (text, index) => text.slice(0, index).split('\n').length;

/**
 * The imports of a source, also those in types: `to` is the path of a file of the repository, or
 * `name` that of a package. Modules of Node.js have neither.
 */
export function importsOf(file) {
  return matchesIn(file, IMPORT).map(({ line, match: [, type, statement, call] }) => {
    const specifier = statement ?? call;
    const found = { file, line, isType: type !== undefined };
    // `imports` of package.json.
    if (specifier.startsWith('#')) return { ...found, to: specifier.slice(1) };
    if (specifier.startsWith('.')) return { ...found, to: join(dirname(file), specifier) };
    if (specifier.startsWith('node:')) return found;
    return { ...found, name: /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0] };
  });
}
