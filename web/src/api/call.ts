import { t } from '../texts/first-texts.ts';
import { reasonText, type Sent } from '../texts/reasons.ts';
import type { EndpointName, Request, ResponseBody } from './endpoints.ts';

/** An error response of the service. `message` and `issues` are in the reader's language. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly endpoint: EndpointName;
  readonly status: number;
  /** What is wrong (spec 7). */
  readonly code: string | undefined;
  readonly params: Sent['params'];
  readonly issues: readonly { path: string; message: string; code?: string | undefined }[];
  /** Seconds to wait before a retry, from the `Retry-After` header. */
  readonly retryAfter: number | undefined;
  /** Whether the request needs a log-in of the last minutes. */
  readonly reauthenticate: boolean;

  constructor(endpoint: EndpointName, response: Response, body: ErrorBody) {
    const code = body.code ?? impliedCode(endpoint, response.status);
    super(
      body.message ? reasonText({ ...body, code, message: body.message }) : t.components.errorStatus(response.status),
    );
    this.endpoint = endpoint;
    this.status = response.status;
    this.code = code;
    this.params = body.params;
    this.issues = (body.errors ?? []).map((issue) => ({
      path: issue.path,
      message: reasonText(issue),
      code: issue.code,
    }));
    this.reauthenticate = body.reauthenticate === true;
    const seconds = Number(response.headers.get('Retry-After'));
    this.retryAfter = seconds > 0 ? seconds : undefined;
  }
}

/** The code of a refusal that has none in its body (spec 4.2). */
const impliedCode = (endpoint: EndpointName, status: number): string | undefined =>
  endpoint === 'GET /auth/session' && status === 401 ? 'notAuthenticated' : undefined;

/** Whether the service answered with a status. */
export function hasStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}

/** The problems of the values of a request that was refused. */
export function issuesOf(error: unknown): ApiError['issues'] {
  return error instanceof ApiError ? error.issues : [];
}

/** The message of the first problem of a value. */
export function issueAt(error: unknown, path: string): string | undefined {
  return issuesOf(error).find((issue) => issue.path === path)?.message;
}

/**
 * The problems as one text.
 *
 * @param nameOf names the place of a problem for the reader, who does not know the paths of the API
 */
export function issuesText(error: unknown, nameOf: (path: string) => string): string {
  return issuesOf(error)
    .map(({ path, message }) => `${nameOf(path)} ${message}`)
    .join('. ');
}

interface ErrorBody extends Partial<Sent> {
  errors?: (Sent & { path: string })[];
  reauthenticate?: boolean;
}

export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  constructor() {
    super(t.components.unreachable);
  }
}

/**
 * Calls an endpoint and resolves with the parsed JSON body.
 *
 * @throws {ApiError} when the status is not 2xx
 * @throws {NetworkError} when no response arrived
 */
export async function call<Name extends EndpointName>(
  name: Name,
  request: Request<Name> = {},
): Promise<ResponseBody<Name>> {
  return (await send(name, asJson(request))).json();
}

/** Like `call`, with the ETag for `If-Match`. */
export async function callWithEtag<Name extends EndpointName>(
  name: Name,
  request: Request<Name> = {},
): Promise<{ body: ResponseBody<Name>; etag: string }> {
  const response = await send(name, asJson(request));
  return { body: await response.json(), etag: response.headers.get('ETag') ?? '' };
}

/** Like `call`, for a file: resolves with its content and its name. */
export async function callForFile<Name extends EndpointName>(
  name: Name,
  request: Request<Name> = {},
): Promise<{ name: string; content: Blob }> {
  const response = await send(name, request);
  const named = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  // An answer that is cut off rejects, so no part of a file is taken for the whole.
  const content = await response.blob().catch(() => {
    throw new NetworkError();
  });
  return { name: named ?? 'export', content };
}

/** Some endpoints answer with a file to whoever takes one. */
const asJson = <Name extends EndpointName>(request: Request<Name>): Request<Name> => ({
  ...request,
  headers: { Accept: 'application/json', ...request.headers },
});

/** Sends a file as the body, and resolves with the parsed JSON. Throws as `call`. */
export async function sendFile<Name extends EndpointName>(
  name: Name,
  request: Request<Name>,
  file: File,
): Promise<ResponseBody<Name>> {
  return (await send(name, asJson(request), file)).json();
}

async function send<Name extends EndpointName>(name: Name, request: Request<Name>, file?: File): Promise<Response> {
  const { body, signal } = request;
  const [method = 'GET', path = ''] = name.split(' ');
  const response = await fetch(buildUrl(path, request.params, request.query), {
    method,
    headers: { ...request.headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: file ?? (body === undefined ? null : JSON.stringify(body)),
    signal: signal ?? null,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new NetworkError();
  });
  if (!response.ok) throw new ApiError(name, response, await response.json().catch(() => ({})));
  return response;
}

/** Fills in path parameters and appends the query without undefined and empty values. */
export function buildUrl(path: string, params: object = {}, query: object = {}): string {
  const filled = Object.entries(params).reduce(
    (text, [key, value]) => text.replace(`:${key}`, encodeURIComponent(String(value))),
    path,
  );
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) =>
      (Array.isArray(value) ? value : [value]).flatMap((one) =>
        one === undefined || one === '' ? [] : [[key, String(one)] as [string, string]],
      ),
    ),
  ).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
