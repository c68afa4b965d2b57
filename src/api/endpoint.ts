import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { App } from '../apps/apps.service.ts';
import type { Download, JsonStream, Versioned } from './reply.ts';

/**
 * Who may call an endpoint: anyone (`public`); a client that names its app in `x-app-id` (`app`); anyone, with the session of the browser at hand
 * (`visitor`); a logged-in app (`session`); a logged-in app of role admin (`admin`). Spec 5.
 */
export type Access = 'public' | 'app' | 'visitor' | 'session' | 'admin';

type Shape = z.ZodObject;

/**
 * The declaration of one endpoint: the one source of its route, its types, the validation of what comes in and its page in the OpenAPI document.
 */
export interface EndpointSpec {
  method: 'get' | 'post' | 'put' | 'delete';
  /** In Express's form, like `/auth/apps/:sourceAppId`. */
  path: string;
  access: Access;
  tag: string;
  summary: string;
  description?: string;
  params?: Shape;
  query?: Shape;
  /** Request headers besides `x-app-id`, by their lower-case names. */
  headers?: Shape;
  /** An optional schema (`.optional()`) lets a request come without a body; its input is then undefined. */
  body?: z.ZodType;
  /** What the body breaks is told under this message. */
  bodyMessage?: string;
  /** A limit on calls counts this endpoint's. */
  limit?: 'submit';
  /** May take longer than the deadline, because its work grows with what is stored. */
  slow?: boolean;
  response: z.ZodType;
  /** Media types of the file that it sends, besides the JSON of `response`. */
  downloads?: readonly string[];
  /** Headers of a success, with what they mean. */
  responseHeaders?: Record<string, string>;
  /** The statuses of refusals, besides those that follow from access and body. */
  errors: readonly number[];
  /** Also answers 304 to `If-None-Match`. */
  conditional?: boolean;
}

export type Endpoints = Record<string, EndpointSpec>;

type Output<Part> = Part extends z.ZodType ? z.output<Part> : undefined;

/** What a handler is given: parsed and typed by the endpoint's declaration. */
export interface Input<Spec extends EndpointSpec> {
  /** The `x-app-id` header; only for access `app`. */
  appId: Spec['access'] extends 'app' ? string : undefined;
  /** The logged-in app; only for access `session` and `admin`. */
  app: Spec['access'] extends 'session' | 'admin' ? App : undefined;
  params: Output<Spec['params']>;
  query: Output<Spec['query']>;
  headers: Output<Spec['headers']>;
  body: Output<Spec['body']>;
  /** Milliseconds that the service may still spend on this request; 0 when it is over or its client is gone. */
  leftMs(): number;
  req: Request;
  res: Response;
}

/** A plain value is answered as JSON; a list that may be long is streamed; a versioned document carries an ETag; a download is a file to keep. */
export type Answer<Body> = Body | JsonStream | Versioned | Download;

export type Handler<Spec extends EndpointSpec> = (
  input: Input<Spec>,
) => Promise<Answer<z.input<Spec['response']>>> | Answer<z.input<Spec['response']>>;

export type Handlers<All extends Endpoints> = { [Name in keyof All]: Handler<All[Name]> };

/** One endpoint with what answers it. */
export interface Route {
  spec: EndpointSpec;
  handle(input: Input<EndpointSpec>): Promise<unknown> | unknown;
}

/** Joins a feature's endpoints and handlers; a missing handler does not compile. */
export function routes<All extends Endpoints>(endpoints: All, handlers: Handlers<All>): Route[] {
  return Object.entries(endpoints).map(([name, spec]) => ({
    spec,
    // Each handler's input is the one of its own spec: `mount` builds it from that spec.
    handle: handlers[name as keyof All] as unknown as Route['handle'],
  }));
}
