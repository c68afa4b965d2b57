import type { Request, Response } from 'express';
import type { ObjectId } from 'mongodb';
import type { z } from 'zod';
import type { Until } from '../../platform/database/clock.ts';
import type { Load } from '../../platform/http/operator-load.ts';
import type {
  Download,
  Empty,
  Html,
  JsonStream,
  Redirect,
  StoredFile,
  TypedJson,
  Versioned,
} from '../../platform/http/reply.ts';
import type { PlainCode } from '../../platform/languages/reasons.ts';
import type {
  AppPrincipal,
  KeyPrincipal,
  Permission,
  Principal,
  PublicPrincipal,
  ScopedApp,
  SessionPrincipal,
} from './principal.ts';

/**
 * How an endpoint authenticates its caller (spec 5). `none`: not at all. `app id`: by `x-app-id` or
 * an API key. `form`: by the app in the path or its API key. `visitor`: not at all, but the session
 * is loaded. `session`: a logged-in app. `session or key`: or an API key with the endpoint's scope.
 */
export type Auth = 'none' | 'app id' | 'form' | 'visitor' | 'session' | 'session or key';

/** @typeParam Other the bodies of other media types than JSON */
export interface BodySpec<Schema extends z.ZodType = z.ZodType, Other = unknown> {
  /** The schema of JSON. With `.optional()` the body may be absent. */
  schema: Schema;
  /** The media types that the endpoint reads. */
  types: readonly [string, ...string[]];
  /** The code of the refusal of a body that violates the schema. */
  refusal: PlainCode;
  /** How many bytes larger than `BODY_LIMIT` the JSON may be. */
  extraBytes?: number;
  /** Whether what was read is a body of another media type, which no schema checks. */
  isOther?(body: unknown): body is Other;
}

export function jsonBody<Schema extends z.ZodType>(
  schema: Schema,
  refusal: PlainCode = 'invalidBody',
): BodySpec<Schema, never> {
  return { schema, types: ['application/json'], refusal };
}

type Shape = z.ZodObject;

/** The single source of an endpoint's route, types, validation and OpenAPI description. */
export interface EndpointSpec {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** An Express path, such as `/auth/apps/:sourceAppId`. */
  path: string;
  auth: Auth;
  /** `admin or own app`: or an API key or an account of the app in the path. */
  role?: 'admin' | 'admin or own app';
  /** What the caller must be allowed to do. Sessions with an app's password may do all of it. */
  scope?: Permission;
  /** The request works on one app: that of the caller, or the one that an admin names. */
  scoped?: true;
  /** The request works on all apps that the caller may open, so that an account names none. */
  everyApp?: true;
  /** The event that each success adds to the audit log (spec 4.9), by name. */
  audit?: string;
  tag: string;
  summary: string;
  description?: string;
  params?: Shape;
  query?: Shape;
  /** Request headers other than `x-app-id`, by lower-case name. */
  headers?: Shape;
  body?: BodySpec;
  /** Media types of a body that the handler reads from `req` itself, as a stream of any length. */
  upload?: readonly string[];
  /** The rate limit that applies. */
  limit?: 'submit';
  /** Programs with the scope have it as a tool too (spec 4.15). */
  tool?: true;
  /**
   * The load of an operator's request; `read` is safe for all but `long`. An `upload` has none, an
   * endpoint of others what it declares.
   */
  load?: Load | ((query: Readonly<Record<string, unknown>>) => Load);
  /** May exceed the deadline, because its work grows with the stored data. */
  slow?: boolean;
  /** The schema of the JSON of a success; `z.never()`: it sends `downloads` only. */
  response: z.ZodType;
  /** The status of a success. Default: 200. */
  status?: 201 | 202;
  /** The body of a 202, which the handler may send instead of `response`, with its description. */
  accepted?: z.ZodType;
  /** Sends an HTML page. */
  isPage?: boolean;
  /** Media types of the file, or of other JSON, that it can send instead of `response`. */
  downloads?: readonly string[];
  /** Sends one of `downloads`, whole or a range of it (206), and no JSON. */
  isFile?: boolean;
  /** Sends a browser a redirect (303). */
  pages?: boolean;
  /** Answers with a redirect (302), and with nothing else. */
  isRedirect?: boolean;
  /** Headers of a successful response, with their descriptions. */
  responseHeaders?: Record<string, string>;
  /** Error statuses other than those implied by authentication, `scoped` and body. */
  errors?: readonly number[];
  /** The schema of the JSON of a 401 that has another body than the other refusals. */
  unauthenticated?: z.ZodType;
  /** Sends 304 for `If-None-Match`. */
  conditional?: boolean;
}

export type Endpoints = Record<string, EndpointSpec>;

type Output<Part> = Part extends z.ZodType ? z.output<Part> : undefined;
type BodyOutput<Body> = Body extends BodySpec<infer Schema, infer Other> ? z.output<Schema> | Other : undefined;

interface PrincipalByAuth {
  none: undefined;
  'app id': PublicPrincipal | KeyPrincipal;
  form: PublicPrincipal | KeyPrincipal;
  visitor: undefined;
  session: SessionPrincipal;
  'session or key': AppPrincipal;
}

/** The parsed input of a handler. */
interface Input<Spec extends EndpointSpec> {
  principal: PrincipalByAuth[Spec['auth']];
  /** The app of a `scoped` endpoint. */
  app: Spec['scoped'] extends true ? ScopedApp : undefined;
  params: Output<Spec['params']>;
  query: Output<Spec['query']>;
  headers: Output<Spec['headers']>;
  body: BodyOutput<Spec['body']>;
  /**
   * Checks the caller again, unless the last check is younger than `maxAgeMs`. For a write after
   * long work or a wait for the client; the first check was made before the handler.
   * @throws {Unauthenticated} @throws {Forbidden}
   */
  recheck(maxAgeMs?: number): Promise<void>;
  /** Milliseconds that remain; 0 when the time is over or the client has disconnected. */
  leftMs(): number;
  /** The deadline of writes: none begins when the request was refused or its client has left. */
  until: Until;
  closed(): AbortSignal;
  /** Adds facts to the event that the endpoint declares (`audit`). */
  audit(facts: AuditFacts): void;
  req: Request;
  res: Response;
}

/** The input as `core/http/router.ts` creates it. */
export type AnyInput = Omit<Input<EndpointSpec>, 'principal' | 'app'> & {
  principal: Principal | undefined;
  app: ScopedApp | undefined;
};

/** A plain value is sent as JSON; the other replies are classes of platform/http/reply.ts. */
type Reply<Body> = Body | JsonStream | TypedJson | Versioned | Download | StoredFile | Redirect | Html | Empty;

type Body<Spec extends EndpointSpec> =
  | z.input<Spec['response']>
  | (Spec['accepted'] extends z.ZodType ? z.input<Spec['accepted']> : never);

/** One that resolves with nothing answers `Ok`. */
type Handler<Spec extends EndpointSpec> = (
  input: Input<Spec>,
) => Promise<Reply<Body<Spec>>> | Reply<Body<Spec>> | ({ ok: true } extends Body<Spec> ? Promise<void> : never);

type Handlers<All extends Endpoints> = { [Name in keyof All]: Handler<All[Name]> };

export interface Route {
  name: string;
  spec: EndpointSpec;
  handle(input: AnyInput): Promise<unknown> | unknown;
}

/** Resolves with whether the app that a request of a public client names lists an origin. */
export type OriginCheck = (req: Request, origin: string) => Promise<boolean>;

/** Combines the endpoints and handlers of a feature; a missing handler is a type error. */
export function routes<All extends Endpoints>(endpoints: All, handlers: Handlers<All>): Route[] {
  return Object.entries(endpoints).map(([name, spec]) => ({
    name,
    spec,
    // core/http/router.ts builds each handler's input from its own spec.
    handle: handlers[name as keyof All] as unknown as Route['handle'],
  }));
}

/** What records events in the audit log (spec 4.9). Without one nothing is recorded. */
export interface AuditPart {
  /** Whether the event is a read: one that fails is not recorded. */
  isRead(event: string): boolean;
  /** Records the event that an endpoint declares. Rejects when its reply must not be sent. */
  record(spec: EndpointSpec, input: AnyInput, facts: AuditFacts): Promise<void>;
  /**
   * Records a failed log-in if `find` resolves with what it named. Returns at once, so that the
   * answer takes the same time for an app or an email that does not exist.
   */
  noteFailedLogIn(find: FindNamed, address: string): void;
}

/** Resolves with what a log-in named, for its event; undefined if that does not exist. */
export type FindNamed = () => Promise<{ app: AuditedApp | null; target?: string } | undefined>;

export interface AuditActor {
  /** `person`: the one of a record, by a link to it. */
  kind: 'operator' | 'admin' | 'key' | 'command line' | 'person' | 'anonymous';
  /** The `sourceAppId` of a session, or the id of an API key or of an account. */
  id?: string;
  /** How a session logged in; `shared`: with the password of the app. */
  method?: string;
  /** The address of the client. */
  address?: string | undefined;
}

export interface AuditedApp {
  /** Absent when the app does not exist any more. */
  id?: ObjectId | undefined;
  sourceAppId: string;
}

/** The facts of an event. None may be personal data: no email, no value, no text of a search. */
export interface AuditFacts {
  /** Default: the app that the request names, or that of the caller. Null: all apps. */
  app?: AuditedApp | null;
  /** The id of the changed object. Default: `id` of the path, or the app that the path names. */
  target?: string;
  detail?: Readonly<Record<string, string | number | boolean>>;
  /** Settings before and after, as JSON; the event has what changed. Never of records. */
  changed?: { before?: unknown; after?: unknown };
  /** Default: the caller. */
  actor?: AuditActor;
}
