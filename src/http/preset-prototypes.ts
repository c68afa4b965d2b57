import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

type Constructors = { IncomingMessage?: typeof IncomingMessage; ServerResponse?: typeof ServerResponse };

/**
 * Options for `http.createServer` that make requests and responses with Express's prototypes from the start. Express sets those on each request, and on Node 20 changing a
 * prototype costs more than all of the routing (66 us a request, docs/performance.md); set to what it already is, it costs nothing. From Node 22 on Express is fast as
 * it is and this would cost: there the result is empty.
 */
export function presetPrototypes(app: Express, nodeVersion = process.versions.node): Constructors {
  if (!nodeVersion.startsWith('20.')) return {};
  return {
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  };
}

/** Node's two are plain constructor functions, which a class could not call on an object with another prototype. */
function withPrototype<Constructor extends typeof IncomingMessage | typeof ServerResponse>(
  base: Constructor,
  prototype: object,
): Constructor {
  function Preset(this: object, ...args: unknown[]): void {
    (base as unknown as (...args: unknown[]) => void).apply(this, args);
  }
  Preset.prototype = prototype;
  // As in a class that extends `base`: V8 adds up the properties of all constructors on this chain and makes room for them in the object. Without it they outgrow what an object
  // keeps in order, and each response becomes a hash table, slow to read and dear to collect (docs/performance.md).
  Object.setPrototypeOf(Preset, base);
  return Preset as unknown as Constructor;
}
