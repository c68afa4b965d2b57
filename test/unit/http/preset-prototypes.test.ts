import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { presetPrototypes } from '../../../src/http/preset-prototypes.ts';

// V8's own word on how it keeps an object's properties: in order (fast), or as a hash table. The flag lets only functions that are compiled from now on ask.
setFlagsFromString('--allow-natives-syntax');
const isFast = new Function('object', 'return %HasFastProperties(object)');

/** The requests and responses of a few calls of an app whose server has these options, when they are over. */
async function exchange(version: string) {
  const app = express();
  const kept: { req: express.Request; res: express.Response }[] = [];
  app.get('/', (req, res) => {
    kept.push({ req, res });
    for (const name of ['A', 'B', 'C', 'D']) res.setHeader(name, 'x');
    res.json({ ok: true });
  });
  const server = createServer(presetPrototypes(app, version), app);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  for (let time = 0; time < 3; time += 1) {
    await new Promise<void>((done) => get({ port, agent: false }, (res) => res.resume().on('end', done)));
  }
  await new Promise((done) => server.close(done));
  return { app, kept };
}

describe('requests and responses with preset prototypes', () => {
  it("are Express's from the start, and V8 keeps their properties in order", async () => {
    const { app, kept } = await exchange('20.19.0');
    expect(kept).toHaveLength(3);
    for (const { req, res } of kept) {
      expect(Object.getPrototypeOf(req)).toBe(app.request);
      expect(Object.getPrototypeOf(res)).toBe(app.response);
      expect([isFast(req), isFast(res)]).toEqual([true, true]);
    }
  });

  it("are left to Express where that is quick: with Node's own constructors", () => {
    expect(presetPrototypes(express(), '24.0.0')).toEqual({});
  });
});
