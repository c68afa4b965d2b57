// npm run docs: writes the tables of docs/specification from the endpoint declarations. With
// --check it compares, and exits with 1 on a difference.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderTables } from './docs/tables.mjs';
import { build, install, root, say } from './setup.mjs';

install();
build();
const { listEndpoints } = await import('../dist/http/endpoints.js');
const { createOpenApiDocument } = await import('../dist/api/openapi.js');

const folder = join(root, 'docs/specification');
const files = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
const endpoints = listEndpoints();
const rendered = renderTables(files, endpoints, createOpenApiDocument(endpoints));
const changed = Object.keys(files).filter((name) => files[name] !== rendered[name]);
if (!process.argv.includes('--check')) {
  for (const name of changed) {
    writeFileSync(join(folder, name), rendered[name]);
    say(`Wrote docs/specification/${name}`);
  }
} else if (changed.length > 0) {
  say(`${changed.join(', ')} in docs/specification: the tables differ from the declarations; run \`npm run docs\``);
  process.exit(1);
}
