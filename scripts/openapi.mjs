// npm run openapi: writes openapi.json from the endpoint declarations. With --check it compares,
// and exits with 1 on a difference.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, root, say } from './setup.mjs';

install();
build();
const { listEndpoints } = await import('../dist/http/endpoints.js');
const { createOpenApiDocument } = await import('../dist/http/openapi.js');

const path = join(root, 'openapi.json');
const text = `${JSON.stringify(createOpenApiDocument(listEndpoints()), null, 2)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(path, text);
  say(`Wrote ${path}`);
} else if (readFileSync(path, 'utf8') !== text) {
  say('openapi.json differs from the endpoint declarations: run `npm run openapi` and commit it');
  process.exit(1);
}
