// npm run lint: checks that comments (src, web/src, test, scripts) and the prose of Markdown files
// are at most 100 columns wide. Prints `file:line` for each wider line and exits with 1.
//   --fix      wraps them; what cannot be wrapped safely is still printed
//   <folder>   another project folder
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wrapComments } from './lint-width/comments.mjs';
import { wrapProse } from './lint-width/prose.mjs';

const WIDTH = 100;
const SOURCE_FOLDERS = ['src', 'web/src', 'test', 'scripts'];
const SOURCE = /\.(?:tsx?|mjs)$/;
const SKIPPED = new Set(['node_modules', 'dist', 'data', 'coverage']);

const { values, positionals } = parseArgs({
  options: { fix: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = positionals[0] ?? join(import.meta.dirname, '..');

const sources = SOURCE_FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap(filesIn);
let count = 0;
for (const file of sources.filter((name) => SOURCE.test(name))) check(file, (text) => wrapComments(file, text, WIDTH));
for (const file of filesIn('').filter((name) => name.endsWith('.md')))
  check(file, (text) => wrapProse(text.split('\n'), WIDTH));
if (count > 0) process.stderr.write(`${count} lines are wider than ${WIDTH} columns\n`);
process.exitCode = count > 0 ? 1 : 0;

function check(file, wrap) {
  const path = join(root, file);
  let result = wrap(readFileSync(path, 'utf8'));
  if (values.fix && result.wide.length > 0) {
    const text = result.wrapped.join('\n');
    writeFileSync(path, text);
    result = wrap(text);
  }
  for (const index of result.wide) process.stdout.write(`${file}:${index + 1}\n`);
  count += result.wide.length;
}

/** The files in a folder and its subfolders, by their paths from the root. */
function filesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) return [path];
    const isSkipped = SKIPPED.has(entry.name) || (entry.name.startsWith('.') && entry.name !== '.github');
    return entry.isDirectory() && !isSkipped ? filesIn(path) : [];
  });
}
