import type { Answer, EndpointName, Request } from './endpoints.ts';

/** A refusal of the service, in its own words. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly endpoint: EndpointName;
  readonly status: number;
  readonly issues: readonly { path: string; message: string }[];
  /** Seconds after which a repeat makes sense. */
  readonly retryAfter: number | undefined;

  constructor(endpoint: EndpointName, response: Response, body: RefusalBody) {
    super(body.message ?? `The service answered ${response.status}`);
    this.endpoint = endpoint;
    this.status = response.status;
    this.issues = body.errors ?? [];
    const wait = Number(response.headers.get('Retry-After'));
    this.retryAfter = wait > 0 ? wait : undefined;
  }
}

interface RefusalBody {
  message?: string;
  errors?: { path: string; message: string }[];
}

/** No answer came at all. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  constructor() {
    super('The service cannot be reached');
  }
}

/** Calls an endpoint and gives its JSON. @throws {Refusal} @throws {NoAnswer} */
export async function call<Name extends EndpointName>(name: Name, request: Request<Name> = {}): Promise<Answer<Name>> {
  return (await callForHeaders(name, request)).body;
}

/** Like `call`, with the headers of the answer. */
export async function callForHeaders<Name extends EndpointName>(
  name: Name,
  request: Request<Name> = {},
): Promise<{ body: Answer<Name>; headers: Headers }> {
  const { body, signal } = request;
  const [method = 'GET', path = ''] = name.split(' ');
  const response = await fetch(addressOf(path, request.params, request.query), {
    method,
    headers: { ...request.headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new NoAnswer();
  });
  if (!response.ok) throw new Refusal(name, response, await response.json().catch(() => ({})));
  return { body: await response.json(), headers: response.headers };
}

/** The path of a request with its parameters filled in; what is undefined or empty is left out of the query. */
export function addressOf(path: string, params: object = {}, query: object = {}): string {
  const filled = Object.entries(params).reduce(
    (text, [key, value]) => text.replace(`:${key}`, encodeURIComponent(String(value))),
    path,
  );
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) =>
      value === undefined || value === '' ? [] : [[key, String(value)] as [string, string]],
    ),
  ).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
