import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { AppPrincipal, Principal, PublicPrincipal, Scope } from './principal.ts';
import type { Download, Empty, Html, JsonStream, Redirect, Versioned } from './reply.ts';

/**
 * How an endpoint finds out who calls (spec 5). `none`: anybody, nothing is looked up. `app id`: a client that names its
 * app in `x-app-id`. `visitor`: anybody; the session is loaded, so that the endpoint can begin or end it. `session`: an
 * app that is logged in.
 */
export type Auth = 'none' | 'app id' | 'visitor' | 'session';

/** The authentications that require a proof of identity. */
export type ProvenAuth = Extract<Auth, 'session'>;

/**
 * Which browser origins may call an endpoint (spec 5.3). `trusted`: the origins in `CORS_ORIGINS` and the service's own,
 * with credentials. `any`: every origin, without credentials.
 */
export type CorsPolicy = 'trusted' | 'any';

/** The media types that the service reads. Each has one reader (api/body/). */
export type MediaType = 'application/json';

/** The body of a request. */
export interface BodySpec<Schema extends z.ZodType = z.ZodType> {
  /** An optional schema (`.optional()`) allows a request without a body; the handler's `body` is then undefined. */
  schema: Schema;
  /** The media types that the endpoint reads. */
  types: readonly [MediaType, ...MediaType[]];
  /** The message of the refusal when the body breaks the schema. */
  message: string;
}

/** A JSON body. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema, message = 'Invalid request body'): BodySpec<Schema> {
  return { schema, types: ['application/json'], message };
}

type Shape = z.ZodObject;

/**
 * The declaration of one endpoint: the one source of its route, its types, its validation and its page in the OpenAPI
 * document.
 */
export interface EndpointSpec {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** In Express's form, like `/auth/apps/:sourceAppId`. */
  path: string;
  auth: Auth;
  /** The role that the caller's app must have. */
  role?: 'admin';
  /** The scope that the caller must have. Sessions have all of them. */
  scope?: Scope;
  /** `trusted` when absent. */
  cors?: CorsPolicy;
  tag: string;
  summary: string;
  description?: string;
  params?: Shape;
  query?: Shape;
  /** Request headers besides `x-app-id`, by their lower-case names. */
  headers?: Shape;
  body?: BodySpec;
  /** The rate limit that counts the calls. */
  limit?: 'submit';
  /** May take longer than the deadline, because its work grows with what is stored. */
  slow?: boolean;
  response: z.ZodType;
  /** Media types of the file that it sends, besides the JSON of `response`. */
  downloads?: readonly string[];
  /** Headers of a success, with their meaning. */
  responseHeaders?: Record<string, string>;
  /** The statuses of refusals, besides those that follow from authentication and body. */
  errors: readonly number[];
  /** Also answers 304 to `If-None-Match`. */
  conditional?: boolean;
}

export type Endpoints = Record<string, EndpointSpec>;

type Output<Part> = Part extends z.ZodType ? z.output<Part> : undefined;
type BodyOutput<Body> = Body extends { schema: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;

/** The principal that an authentication yields. */
type PrincipalOf<Name extends Auth> = Name extends ProvenAuth
  ? AppPrincipal
  : Name extends 'app id'
    ? PublicPrincipal
    : undefined;

/** The input of a handler, parsed and typed by the endpoint's declaration. */
export interface Input<Spec extends EndpointSpec> {
  principal: PrincipalOf<Spec['auth']>;
  params: Output<Spec['params']>;
  query: Output<Spec['query']>;
  headers: Output<Spec['headers']>;
  body: BodyOutput<Spec['body']>;
  /** Milliseconds that the service may still spend on this request; 0 when it is over or its client is gone. */
  leftMs(): number;
  req: Request;
  res: Response;
}

/** The input as `mount` builds it, before the handler's own types apply. */
export type AnyInput = Omit<Input<EndpointSpec>, 'principal'> & { principal: Principal | undefined };

/** A plain value is answered as JSON; the other replies are classes of api/reply.ts. */
export type Reply<Body> = Body | JsonStream | Versioned | Download | Redirect | Html | Empty;

export type Handler<Spec extends EndpointSpec> = (
  input: Input<Spec>,
) => Promise<Reply<z.input<Spec['response']>>> | Reply<z.input<Spec['response']>>;

export type Handlers<All extends Endpoints> = { [Name in keyof All]: Handler<All[Name]> };

/** One endpoint with its handler. */
export interface Route {
  spec: EndpointSpec;
  handle(input: AnyInput): Promise<unknown> | unknown;
}

/** Joins a feature's endpoints and handlers; a missing handler does not compile. */
export function routes<All extends Endpoints>(endpoints: All, handlers: Handlers<All>): Route[] {
  return Object.entries(endpoints).map(([name, spec]) => ({
    spec,
    // Each handler's input is the one of its own spec: `mount` builds it from that spec.
    handle: handlers[name as keyof All] as unknown as Route['handle'],
  }));
}
