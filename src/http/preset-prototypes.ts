import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

type Constructors = { IncomingMessage?: typeof IncomingMessage; ServerResponse?: typeof ServerResponse };

/**
 * Options for `http.createServer` that create requests and responses with Express's prototypes.
 * Express sets these prototypes on each request; on Node 20 changing a prototype costs more than
 * routing (66 us per request, docs/performance.md), setting the same one costs nothing. From Node
 * 22 on the change is cheap and these options would cost time, so the result is empty.
 */
export function presetPrototypes(http: Express, nodeVersion = process.versions.node): Constructors {
  if (!nodeVersion.startsWith('20.')) return {};
  return {
    IncomingMessage: withPrototype(IncomingMessage, http.request),
    ServerResponse: withPrototype(ServerResponse, http.response),
  };
}

/**
 * Node's two classes are constructor functions, which a `class` cannot call on an object with
 * another prototype.
 */
function withPrototype<Constructor extends typeof IncomingMessage | typeof ServerResponse>(
  base: Constructor,
  prototype: object,
): Constructor {
  function Preset(this: object, ...args: unknown[]): void {
    (base as unknown as (...args: unknown[]) => void).apply(this, args);
  }
  Preset.prototype = prototype;
  // Like a class that extends `base`: V8 reserves space for the properties of all constructors on
  // this chain. Without it each response becomes a dictionary-mode object, which is slow to read
  // and expensive to collect (docs/performance.md).
  Object.setPrototypeOf(Preset, base);
  return Preset as unknown as Constructor;
}
