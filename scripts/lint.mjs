// npm run lint: what Biome cannot check, one rule in each file of scripts/lint. Prints
// `file:line problem` for each problem and exits with 1 if there is one.
//   --fix   wraps comments and prose that are too wide
import { citations } from './lint/citations.mjs';
import { collections } from './lint/collections.mjs';
import { endpoints } from './lint/endpoints.mjs';
import { unusedExports } from './lint/exports.mjs';
import { layers } from './lint/layers.mjs';
import { namedFiles } from './lint/named-files.mjs';
import { owners } from './lint/owners.mjs';
import { packages } from './lint/packages.mjs';
import { reasons } from './lint/reasons.mjs';
import { texts } from './lint/texts.mjs';
import { umask } from './lint/umask.mjs';
import { width } from './lint/width.mjs';

const rules = [
  layers,
  owners,
  unusedExports,
  packages,
  citations,
  namedFiles,
  collections,
  endpoints,
  umask,
  reasons,
  texts,
];
// First: it may write files.
const problems = [...width(process.argv.includes('--fix')), ...rules.flatMap((rule) => rule())];
for (const { file, line, problem } of problems) {
  process.stdout.write(`${line === undefined ? file : `${file}:${line}`} ${problem}\n`);
}
process.exitCode = problems.length > 0 ? 1 : 0;
