import { type IRouter, type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import { AppError, AppNotFound, InvalidInput, Unavailable } from '../../platform/core/errors.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import type { BodyReaders } from '../../platform/http/body-readers.ts';
import { Deadline } from '../../platform/http/deadline.ts';
import type { OperatorLoad } from '../../platform/http/operator-load.ts';
import { Download, Redirect, send } from '../../platform/http/reply.ts';
import { hasArrived, hasBody, readMediaType } from '../../platform/http/request-bytes.ts';
import { parsePart } from '../../platform/http/validation.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { AnyInput, AuditFacts, AuditPart, BodySpec, EndpointSpec, Route } from '../api/endpoint.ts';
import type { AppPrincipal, AppScope } from '../api/principal.ts';
import type { App } from '../apps/app.ts';
import type { SubmitLimiter } from '../users/submit-limiter.ts';
import { type AuthStrategies, invalidAppIdError } from './auth.ts';
import { Caller } from './caller.ts';
import { beginTurn, hasTurns } from './request-turns.ts';

/** What the endpoints of all features share. */
export interface Edge {
  auth: AuthStrategies;
  readers: BodyReaders;
  load: OperatorLoad;
  limitSubmit: SubmitLimiter;
  /** Resolves with the app of this id, or undefined. Fast for an app in use. */
  findApp(sourceAppId: string): Promise<Pick<App, 'submitPerMinute'> | undefined>;
  scope: AppScope;
  recordAudit: AuditPart['record'];
  isAuditedRead: AuditPart['isRead'];
  until: DatabaseClock['until'];
  /** Another one than that of the service; in tests only. */
  deadlineMs?: number | undefined;
}

/** Adds endpoints to a router, or to the application. */
export function addRoutes<To extends IRouter>(router: To, routes: readonly Route[], edge: Edge): To {
  for (const route of routes) router[route.spec.method](route.spec.path, createHandler(route, edge));
  return router;
}

/** Creates the router of a feature; paths are whole, because features share them. */
export function createRouter(routes: readonly Route[], edge: Edge): Router {
  return addRoutes(Router({ caseSensitive: true, strict: true }), routes, edge);
}

/**
 * Answers `OPTIONS` on a known path with the allowed methods, and every other method with 405: it
 * comes after the routers of all features, of which several may have endpoints of one path.
 */
export function createMethodCheck(all: readonly Route[]): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, specs] of specsByPath(all)) {
    const allowed = specs.flatMap(allowedMethods).join(', ');
    router.all(path, (req, res) => {
      res.setHeader('Allow', allowed);
      if (req.method === 'OPTIONS') return void res.status(204).end();
      throw new AppError(405, 'methodNotAllowed');
    });
  }
  return router;
}

/**
 * Checks a request in this order: authentication (401, 403, 400 for `x-app-id`, 404 for an app in
 * the path), rate limit (429), inputs (400). Then the handler runs; that of an operator waits for
 * its turn (429, 503). The caller of a request that waited, for its body or its turn, is checked
 * again.
 */
function createHandler(route: Route, edge: Edge): RequestHandler {
  const { spec, handle } = route;
  const isChange = spec.audit !== undefined && !edge.isAuditedRead(spec.audit);
  const turns = hasTurns(spec) ? edge.load : undefined;
  const readQuery = createQueryReader(spec.query);
  return async (req, res) => {
    const deadline = req.deadline ?? new Deadline(edge.deadlineMs);
    const facts: AuditFacts = {};
    const caller = new Caller(spec, edge.auth[spec.auth], req);
    const input = readInput(spec, readQuery, caller, req, res, deadline, edge, facts);
    const respond = async (value: AnyInput) => {
      const turn = turns && (await beginTurn(turns, spec, value, deadline));
      try {
        if (caller.hasWaited || turn?.hasWaited) {
          await caller.recheck();
          value.principal = caller.principal;
        }
        if (spec.scoped) value.app = await edge.scope(value.principal as AppPrincipal, namedApp(value));
        const reply = await (isChange ? change(route, value, facts, edge.recordAudit) : handle(value));
        const isRefused = reply instanceof Redirect && reply.isRefusal;
        if (spec.audit && !isRefused) await audited(reply, edge.recordAudit(spec, value, facts));
        await send(req, res, reply, { onStart: turn?.onStart, recheck: value.recheck });
      } finally {
        turn?.end();
      }
    };
    await (spec.slow ? respond(await deadline.run(input)) : untilStarted(deadline, input.then(respond), res));
  };
}

/**
 * Runs the handler of a change. One that fails may have happened, in part or as a whole: its event
 * is recorded as `incomplete`. A refused one has none, nor has one of a stranger.
 */
async function change({ spec, handle }: Route, value: AnyInput, facts: AuditFacts, recordAudit: Edge['recordAudit']) {
  try {
    return await handle(value);
  } catch (error) {
    const isRefused = error instanceof AppError && error.status < 500;
    const isOfStranger = value.principal === undefined || value.principal.kind === 'public';
    if (!isRefused && !isOfStranger) {
      await recordAudit(spec, value, { ...facts, detail: { ...facts.detail, incomplete: true } });
    }
    throw error;
  }
}

/** The app that a request names in its path or its query. */
function namedApp({ params, query }: AnyInput): string | undefined {
  return (params?.sourceAppId ?? query?.sourceAppId) as string | undefined;
}

/** Waits until the event is recorded; otherwise the reply is discarded. */
async function audited(reply: unknown, recorded: Promise<void>): Promise<void> {
  try {
    await recorded;
  } catch (error) {
    if (reply instanceof Download) reply.content.destroy();
    throw error;
  }
}

/** The deadline covers the time until the response starts. */
async function untilStarted(deadline: Deadline, work: Promise<void>, res: Response): Promise<void> {
  try {
    await deadline.run(work);
  } catch (error) {
    if (!res.headersSent) throw error;
    await work;
  }
}

async function readInput(
  spec: EndpointSpec,
  readQuery: ReturnType<typeof createQueryReader>,
  caller: Caller,
  req: Request,
  res: Response,
  deadline: Deadline,
  edge: Edge,
  facts: AuditFacts,
): Promise<AnyInput> {
  try {
    const checking = caller.check();
    if (checking instanceof Promise) await checking;
  } finally {
    req.endLookUps?.();
  }
  const { principal } = caller;
  if (principal && (spec.auth === 'form' || (spec.auth === 'app id' && spec.body))) {
    await admit(spec, principal.sourceAppId, req, edge);
  }
  // The deadline has passed meanwhile and 503 was sent.
  if (deadline.isOver) throw new Unavailable();

  if (spec.body) caller.hasWaited = !hasArrived(req);
  const leftMs = () => (res.destroyed ? 0 : deadline.leftMs);
  return {
    principal,
    app: undefined,
    headers: spec.headers && parsePart(spec.headers, req.headers, 'invalidHeaders'),
    params: spec.params && parsePart(spec.params, req.params, 'invalidPath'),
    query: readQuery(req),
    body: spec.body && parseBody(spec.body, await readBody(spec.body, principal, req, deadline, edge)),
    audit: (more) => void Object.assign(facts, more),
    recheck: (maxAgeMs) => caller.recheck(maxAgeMs),
    leftMs,
    until: edge.until(leftMs),
    closed: () => closedSignal(res),
    req,
    res,
  };
}

/** Parses the queries of an endpoint. All requests without a query share one result. */
function createQueryReader(schema: EndpointSpec['query']) {
  const none = schema?.safeParse({});
  const withoutQuery = none?.success ? Object.freeze(none.data) : undefined;
  return (req: Request): AnyInput['query'] => {
    if (withoutQuery && !req.url.includes('?')) return withoutQuery;
    return schema && parsePart(schema, req.query, 'invalidQuery');
  };
}

function closedSignal(res: Response): AbortSignal {
  const closed = new AbortController();
  if (res.closed) closed.abort();
  else res.once('close', () => closed.abort());
  return closed.signal;
}

/** Checks the app before the rate limit and the body, so that invented ids use neither. */
async function admit(spec: EndpointSpec, sourceAppId: string, req: Request, edge: Edge): Promise<void> {
  const app = await edge.findApp(sourceAppId);
  if (!app) throw spec.auth === 'form' ? new AppNotFound() : invalidAppIdError();
  if (spec.limit === 'submit') edge.limitSubmit(sourceAppId, req.ip ?? '', app.submitPerMinute);
}

/** Resolves with the body; undefined when it is optional and absent. @throws {AppError} at once */
function readBody(
  { schema, types, extraBytes }: BodySpec,
  principal: AnyInput['principal'],
  req: Request,
  deadline: Deadline,
  { readers }: Edge,
): Promise<unknown> | undefined {
  if (schema instanceof z.ZodOptional && !hasBody(req)) return undefined;
  // The JSON reader checks the type itself.
  if (types.length === 1) return readers.json(extraBytes)(req, deadline);
  const sent = readMediaType(req);
  const type = types.find((one) => one === sent);
  if (!type || !hasBody(req)) throw new InvalidInput(say('notBodyType', { types: types.join(', ') }));
  const read = readers.others[type] ?? readers.json();
  return read(req, deadline, principal?.sourceAppId);
}

function parseBody({ schema, refusal, isOther }: BodySpec, body: unknown): unknown {
  return isOther?.(body) ? body : parsePart(schema, body, refusal);
}

function specsByPath(all: readonly Route[]): Map<string, EndpointSpec[]> {
  const specs = new Map<string, EndpointSpec[]>();
  for (const { spec } of all) specs.set(spec.path, [...(specs.get(spec.path) ?? []), spec]);
  return specs;
}

function allowedMethods({ method }: EndpointSpec): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
}
