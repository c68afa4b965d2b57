import type { Express, Request, Response } from 'express';
import { z } from 'zod';
import { hasBody, type ReadBody } from '../api/body/json-body.ts';
import { Deadline } from '../api/deadline.ts';
import type { AnyInput, BodySpec, EndpointSpec, MediaType, Route } from '../api/endpoint.ts';
import type { Principal } from '../api/principal.ts';
import { send } from '../api/reply.ts';
import { parsePart } from '../api/validation.ts';
import { AppError, Forbidden, Unavailable } from '../core/errors.ts';
import type { SubmitLimiter } from '../submissions/submit-limiter.ts';
import { invalidAppId } from './auth/app-id.ts';
import type { AuthStrategies } from './auth/strategies.ts';
import type { CorsPolicies } from './cors.ts';

/** What every endpoint shares. */
export interface MountDeps {
  auth: AuthStrategies;
  cors: CorsPolicies;
  readers: Record<MediaType, ReadBody>;
  limitSubmit: SubmitLimiter | undefined;
  /** Whether there is an app of that id. Cheap for an app that is in use. */
  appExists(sourceAppId: string): Promise<boolean>;
}

/**
 * Adds all endpoints to `app` from their declarations. Each request is checked in this order: its origin (403), who
 * calls (401, 403, or 400 for `x-app-id`), how often (429), its parts (400); then the handler runs. Paths are matched
 * exactly; a known path with another method is a 405.
 *
 * Endpoints are routes of `app` itself: a router in it would cost each request a second match.
 */
export function mount(app: Express, all: readonly Route[], deps: MountDeps): void {
  for (const { spec, handle } of all) {
    app[spec.method](spec.path, ...policyOf(spec, deps), async (req, res) => {
      const deadline = new Deadline();
      const gathered = gather(spec, req, res, deadline, deps);
      const respond = async (input: AnyInput) => send(req, res, await handle(input));
      await (spec.slow ? respond(await deadline.run(gathered)) : untilBegun(deadline, gathered.then(respond), res));
    });
  }
  for (const [path, specs] of specsByPath(all)) {
    const [first] = specs;
    app.all(path, ...(first ? policyOf(first, deps) : []), (req, res) => {
      res.setHeader('Allow', specs.flatMap(methodsOf).join(', '));
      if (req.method === 'OPTIONS') return void res.status(204).end();
      throw new AppError(405, 'Method not allowed');
    });
  }
}

const policyOf = ({ cors = 'trusted' }: EndpointSpec, deps: MountDeps) => deps.cors[cors];

/** The deadline covers the time until the answer begins: a long listing may take its time after that. */
async function untilBegun(deadline: Deadline, work: Promise<void>, res: Response): Promise<void> {
  try {
    await deadline.run(work);
  } catch (error) {
    if (!res.headersSent) throw error;
    await work;
  }
}

async function gather(
  spec: EndpointSpec,
  req: Request,
  res: Response,
  deadline: Deadline,
  deps: MountDeps,
): Promise<AnyInput> {
  // No `await` for a strategy that answers at once: a turn of the microtask queue costs the public endpoints 1 %.
  const found = deps.auth[spec.auth](req, res);
  const principal = found instanceof Promise ? await found : found;
  authorize(spec, principal);
  if (principal?.kind === 'public') await admit(spec, principal.sourceAppId, req, deps);
  // The deadline passed meanwhile, and the answer was 503.
  if (deadline.isOver) throw new Unavailable();

  return {
    principal,
    headers: (spec.headers && parsePart(spec.headers, req.headers, 'Invalid request headers')) as never,
    params: (spec.params && parsePart(spec.params, req.params, 'Invalid path')) as never,
    query: (spec.query && parsePart(spec.query, req.query, 'Invalid query parameters')) as never,
    body: (spec.body &&
      parsePart(spec.body.schema, await readBody(spec.body, req, deadline, deps), spec.body.message)) as never,
    leftMs: () => (res.destroyed ? 0 : deadline.leftMs),
    req,
    res,
  };
}

/** @throws {Forbidden} when the caller lacks the role or the scope */
function authorize({ role, scope }: EndpointSpec, principal: Principal | undefined): void {
  if (role && (principal?.kind !== 'session' || principal.app.role !== role))
    throw new Forbidden('Admin role required');
  if (scope && !principal?.scopes.has(scope)) throw new Forbidden(`The scope ${scope} is required`);
}

/** Checks the app before the rate limit and the body, so that made-up ids fill neither. */
async function admit(spec: EndpointSpec, sourceAppId: string, req: Request, deps: MountDeps): Promise<void> {
  if (!spec.body) return;
  if (!(await deps.appExists(sourceAppId))) throw invalidAppId();
  if (spec.limit === 'submit') deps.limitSubmit?.(sourceAppId, req.ip ?? '');
}

/** Undefined when the request has no body and the endpoint does not require one. */
async function readBody(
  { schema, types }: BodySpec,
  req: Request,
  deadline: Deadline,
  { readers }: MountDeps,
): Promise<unknown> {
  if (schema instanceof z.ZodOptional && !hasBody(req)) return undefined;
  const [only] = types;
  // A reader refuses other media types itself, with a message that names its own.
  const type = types.length === 1 ? only : (types.find((one) => req.is(one)) ?? only);
  return readers[type](req, deadline);
}

function specsByPath(all: readonly Route[]): Map<string, EndpointSpec[]> {
  const specs = new Map<string, EndpointSpec[]>();
  for (const { spec } of all) specs.set(spec.path, [...(specs.get(spec.path) ?? []), spec]);
  return specs;
}

function methodsOf({ method }: EndpointSpec): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
}
