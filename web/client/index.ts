/** Where submissions go, and how long they are repeated. */
export interface ClientOptions {
  /** The address of the service, such as `https://forms.example.com`. */
  url: string;
  /** The id of the app. */
  app: string;
  /** An API key with the scope `submit`. Never put one into a web page. */
  apiKey?: string | undefined;
  /** Milliseconds that one attempt may take. Default: 15,000. */
  timeout?: number | undefined;
  /** Milliseconds within which attempts are repeated. Default: 60,000. */
  retryFor?: number | undefined;
}

export interface SubmitOptions {
  /** The `Idempotency-Key`; one for each submission. Default: a random one. */
  key?: string | undefined;
  /** The token of a challenge, where the app has a provider of challenges. */
  captcha?: string | undefined;
}

/** The record that a submission created or changed; empty for an app without receipts. */
export interface Submitted {
  id?: string;
  createdAt?: string;
  updatedAt?: string;
}

export interface Schema {
  version: number;
  rejectUnknown: boolean;
  fields: { key: string; label: string; kind: string; required: boolean; [option: string]: unknown }[];
}

/** A problem of one value; `path` is its place, such as `data.age`. */
export interface Issue {
  path: string;
  message: string;
  /** What is wrong; it does not change. */
  code: string;
  /** The values in the message. */
  params?: Params;
}

type Params = Record<string, string | number>;

interface ErrorBody {
  message?: string;
  code?: string;
  params?: Params;
  errors?: Issue[];
}

/** The service refuses the request. A repeat is refused too. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  /** The HTTP status. */
  status: number;
  /** What is wrong; it does not change. Absent in the answer of a proxy. */
  code: string | undefined;
  /** The values in the message. */
  params: Params;
  /** The problems of the values, at most 20. */
  errors: Issue[];

  constructor(status: number, { message = `Status ${status}`, code, params = {}, errors = [] }: ErrorBody) {
    super(message);
    this.status = status;
    this.code = code;
    this.params = params;
    this.errors = errors;
  }
}

/** No attempt was answered in time. A submission may have been stored. */
export class UnavailableError extends Error {
  override name = 'UnavailableError';
  /** The status of the last answer; absent when there was none. */
  status: number | undefined;
  /** Submit again with this key within 24 hours: the submission is then stored once. */
  key: string | undefined;

  constructor(status: number | undefined, key: string | undefined, cause: unknown) {
    super(status ? `The service answers with status ${status}` : 'The service does not answer', { cause });
    this.status = status;
    this.key = key;
  }
}

export interface Client<Data extends object> {
  /**
   * Submits the values of one person, exactly once: an attempt without an answer, or with the
   * status 429, 502, 503 or 504, is repeated with the same key.
   * @throws {RefusedError} @throws {UnavailableError}
   */
  submit(email: string, data: Data, options?: SubmitOptions): Promise<Submitted>;

  /** Resolves with the newest schema. @throws {RefusedError} @throws {UnavailableError} */
  schema(): Promise<Schema>;
}

const TEMPORARY = [429, 502, 503, 504];
const FIRST_PAUSE_MS = 300;
const MAX_PAUSE_MS = 10_000;

/** Creates a client of one app. @throws {TypeError} for a `url` that is none */
export function createClient<Data extends object = Record<string, unknown>>(options: ClientOptions): Client<Data> {
  const { url, app, apiKey, timeout = 15_000, retryFor = 60_000 } = options;
  const base = new URL(url).href.replace(/\/+$/, '');
  // `localhost:3000` is a URL with the scheme `localhost:`.
  if (!/^https?:/.test(base)) throw new TypeError('url must begin with https:// or http://');

  async function request<Answer>(path: string, body?: string, key?: string): Promise<Answer> {
    // Created first: a value that no header may have is an error, and is not repeated.
    const headers = new Headers({ 'x-app-id': app });
    if (apiKey) headers.set('authorization', `Bearer ${apiKey}`);
    if (body) headers.set('content-type', 'application/json');
    if (key) headers.set('idempotency-key', key);
    const until = Date.now() + retryFor;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      let status: number | undefined;
      let cause: unknown;
      let wait = pause * (0.5 + Math.random());
      try {
        const response = await fetch(base + path, {
          method: body ? 'POST' : 'GET',
          headers,
          body: body ?? null,
          credentials: 'omit',
          signal: AbortSignal.timeout(timeout),
        });
        status = response.status;
        wait = Math.max(wait, Number(response.headers.get('retry-after')) * 1_000 || 0);
        // An answer that breaks off is none, unless the status alone says enough.
        if (response.ok) return (await response.json()) as Answer;
        if (!TEMPORARY.includes(status)) {
          throw new RefusedError(status, (await response.json().catch(() => undefined)) || {});
        }
      } catch (error) {
        if (error instanceof RefusedError) throw error;
        cause = error;
      }
      if (Date.now() + wait > until) throw new UnavailableError(status, key, cause);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  return {
    submit: (email, data, { key = randomKey(), captcha } = {}) =>
      // As text once: a repeat with another order of members is another submission.
      request('/v1/users', JSON.stringify({ email, data, captcha }), key),
    schema: () => request('/v1/schema'),
  };
}

/** `crypto.randomUUID` exists only on HTTPS pages. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
