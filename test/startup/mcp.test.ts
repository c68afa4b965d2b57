// @module-tag long

import { afterAll, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

/** Names the modules of the Model Context Protocol on standard error when they are loaded. */
const HOOKS = `
import { writeSync } from 'node:fs';
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  if (/@modelcontextprotocol|zod-openapi/.test(found.url)) writeSync(2, 'loads ' + found.url + '\\n');
  return found;
}`;
const REGISTER = `
import { register } from 'node:module';
register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(HOOKS)}`)});`;

it.each([
  ['true', 401],
  ['', 404],
])('a server with MCP=%s loads the modules of tools only if it has tools', async (MCP, status) => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(REGISTER)}`;
  const server = leftovers.keep(
    new ServerProcess({
      MCP,
      NODE_OPTIONS,
      MONGODB_URI: databaseUri(randomName()),
      DATA_DIR: await leftovers.dataDir(),
    }),
  );
  const url = await server.url();
  const answer = await fetch(`${url}/mcp`, { method: 'POST' });
  expect(answer.status).toBe(status);
  const { stderr } = await server.end();
  const loaded = stderr.split('\n').filter((line) => line.startsWith('loads '));
  expect(loaded.some((line) => line.includes('@modelcontextprotocol'))).toBe(MCP === 'true');
  expect(loaded.length > 0).toBe(MCP === 'true');
});
