// npm run docs: writes the tables of docs/specification from the endpoint declarations, and those
// of docs/capacity.md from docs/capacity.json. With --check it compares, and exits with 1 on a
// difference.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capacityTables } from './bench/capacity-tables.mjs';
import { fillTables, renderTables } from './docs/tables.mjs';
import { build, install, root, say } from './setup.mjs';

install();
build();
const { listEndpoints } = await import('../dist/http/endpoints.js');
const { createOpenApiDocument } = await import('../dist/http/openapi.js');

const docs = join(root, 'docs');
const read = (path) => readFileSync(join(docs, path), 'utf8');
const paths = readdirSync(join(docs, 'specification')).map((name) => `specification/${name}`);
const files = Object.fromEntries(paths.map((path) => [path.slice('specification/'.length), read(path)]));
const endpoints = listEndpoints();
const specification = renderTables(files, endpoints, createOpenApiDocument(endpoints));
const rendered = {
  ...Object.fromEntries(Object.entries(specification).map(([name, text]) => [`specification/${name}`, text])),
  'capacity.md': fillTables(read('capacity.md'), capacityTables(JSON.parse(read('capacity.json'))), 'capacity.md'),
};
const changed = Object.keys(rendered).filter((path) => rendered[path] !== read(path));
if (!process.argv.includes('--check')) {
  for (const path of changed) {
    writeFileSync(join(docs, path), rendered[path]);
    say(`Wrote docs/${path}`);
  }
} else if (changed.length > 0) {
  say(`${changed.join(', ')} in docs: the tables differ from their source; run \`npm run docs\``);
  process.exit(1);
}
