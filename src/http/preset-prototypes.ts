import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

type Constructors = { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse };

/**
 * Options for `http.createServer` that create requests and responses with Express's prototypes.
 * Express sets these prototypes on each request. Changing a prototype makes every later access to
 * the object slower, most of all on Node 20 (docs/performance.md); setting the same one costs
 * nothing.
 */
export function presetPrototypes(http: Express): Constructors {
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
