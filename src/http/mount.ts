import type { Express, Request, Response } from 'express';
import { z } from 'zod';
import { hasBody, type ReadJson } from '../api/body/json-body.ts';
import { Deadline } from '../api/deadline.ts';
import type { EndpointSpec, Input, Route } from '../api/endpoint.ts';
import { send } from '../api/reply.ts';
import { parsePart } from '../api/validation.ts';
import type { App } from '../apps/apps.service.ts';
import { APP_ID_PATTERN } from '../core/app-id.ts';
import { AppError, Forbidden, InvalidInput, Unavailable } from '../core/errors.ts';
import type { LoadSession } from '../sessions/cookie-session.ts';
import type { SessionService } from '../sessions/sessions.service.ts';
import type { SubmitLimiter } from '../submissions/submit-limiter.ts';

/** What every endpoint shares. */
export interface MountDeps {
  readJson: ReadJson;
  loadSession: LoadSession;
  sessions: SessionService;
  limitSubmit: SubmitLimiter | undefined;
  /** Whether there is an app of that id. Cheap for an app that is in use. */
  appExists(sourceAppId: string): Promise<boolean>;
}

/**
 * Adds all endpoints to `app` from their declarations. For each request, in this order: who is asking (401, 403, or 400 for `x-app-id`, also when it
 * names no app), how often (429), then what is asked (400), then the handler. Paths are matched exactly; a known path with another method is a 405.
 *
 * They are routes of the app itself and not of a router in it, which each request would enter and leave for nothing.
 */
export function mount(app: Express, all: readonly Route[], deps: MountDeps): void {
  for (const { spec, handle } of all) {
    app[spec.method](spec.path, async (req, res) => {
      const deadline = new Deadline();
      const gathered = gather(spec, req, res, deadline, deps);
      const respond = async (input: Input<EndpointSpec>) => send(req, res, await handle(input));
      await (spec.slow ? respond(await deadline.run(gathered)) : untilBegun(deadline, gathered.then(respond), res));
    });
  }
  for (const [path, methods] of methodsByPath(all)) {
    app.all(path, (req, res) => {
      res.setHeader('Allow', methods.join(', '));
      if (req.method === 'OPTIONS') return void res.status(204).end();
      throw new AppError(405, 'Method not allowed');
    });
  }
}

/** The deadline is for the beginning of an answer: a long listing may take its time once it flows. */
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
): Promise<Input<EndpointSpec>> {
  const appId = spec.access === 'app' ? readAppId(req) : undefined;
  if (appId !== undefined) req.appId = appId;
  const app = asksForSession(spec) ? await identify(spec, req, res, deps) : undefined;
  if (app) req.appId = app.sourceAppId;
  // Before the rate limit and the body, so that made-up ids fill neither.
  if (appId !== undefined && spec.body && !(await deps.appExists(appId))) throw invalidAppId();
  if (appId !== undefined && spec.limit === 'submit') deps.limitSubmit?.(appId, req.ip ?? '');
  // The answer was a 503 meanwhile.
  if (deadline.isOver) throw new Unavailable();

  const message = spec.bodyMessage ?? 'Invalid request body';
  return {
    appId: appId as never,
    app: app as never,
    headers: (spec.headers && parsePart(spec.headers, req.headers, 'Invalid request headers')) as never,
    params: (spec.params && parsePart(spec.params, req.params, 'Invalid path')) as never,
    query: (spec.query && parsePart(spec.query, req.query, 'Invalid query parameters')) as never,
    body: (spec.body && parsePart(spec.body, await readBody(spec.body, req, deadline, deps), message)) as never,
    leftMs: () => (res.destroyed ? 0 : deadline.leftMs),
    req,
    res,
  };
}

/** Undefined when the request has no body and the endpoint does not require one. */
async function readBody(body: z.ZodType, req: Request, deadline: Deadline, { readJson }: MountDeps): Promise<unknown> {
  return body instanceof z.ZodOptional && !hasBody(req) ? undefined : readJson(req, deadline);
}

/** Spec 5.1: the two messages are part of the interface. */
function readAppId(req: Request): string {
  const header = req.headers['x-app-id'];
  if (header === undefined || header === '') throw new InvalidInput('Missing x-app-id header');
  if (typeof header !== 'string' || !APP_ID_PATTERN.test(header)) throw invalidAppId();
  return header;
}

function invalidAppId(): InvalidInput {
  return new InvalidInput('Invalid x-app-id header');
}

/** On the public routes no session is looked up, whatever cookies come with the request. */
function asksForSession({ access }: EndpointSpec): boolean {
  return access !== 'public' && access !== 'app';
}

/** Loads the session; resolves with the logged-in app where the endpoint asks for one. */
async function identify(spec: EndpointSpec, req: Request, res: Response, deps: MountDeps): Promise<App | undefined> {
  await deps.loadSession(req, res);
  if (spec.access === 'visitor') return undefined;
  const app = await deps.sessions.authenticate(req.session);
  if (spec.access === 'admin' && app.role !== 'admin') throw new Forbidden('Admin role required');
  return app;
}

function methodsByPath(all: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { spec } of all) {
    const own = spec.method === 'get' ? ['GET', 'HEAD'] : [spec.method.toUpperCase()];
    methods.set(spec.path, [...(methods.get(spec.path) ?? []), ...own]);
  }
  return methods;
}
