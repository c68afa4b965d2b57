import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { presetPrototypes } from '../../../src/http/listener.ts';

// %HasFastProperties tells whether V8 stores the properties in order (fast) or in a hash table.
// The flag only affects functions that are compiled after it is set.
setFlagsFromString('--allow-natives-syntax');
const isFast = new Function('object', 'return %HasFastProperties(object)');

/**
 * Sends three requests to an app whose server has the options. Resolves with the app and its
 * request and response objects.
 */
async function exchange() {
  const app = express();
  const exchanges: { req: express.Request; res: express.Response }[] = [];
  app.get('/', (req, res) => {
    exchanges.push({ req, res });
    for (const name of ['A', 'B', 'C', 'D']) res.setHeader(name, 'x');
    res.json({ ok: true });
  });
  const server = createServer(presetPrototypes(app), app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  for (let count = 0; count < 3; count += 1) {
    await new Promise<void>((resolve) => get({ port, agent: false }, (res) => res.resume().on('end', resolve)));
  }
  await new Promise((resolve) => server.close(resolve));
  return { app, exchanges };
}

describe('preset prototypes of requests and responses', () => {
  it('are those of Express, and V8 stores the properties in order', async () => {
    const { app, exchanges } = await exchange();
    expect(exchanges).toHaveLength(3);
    for (const { req, res } of exchanges) {
      expect(Object.getPrototypeOf(req)).toBe(app.request);
      expect(Object.getPrototypeOf(res)).toBe(app.response);
      expect([isFast(req), isFast(res)]).toEqual([true, true]);
    }
  });
});
