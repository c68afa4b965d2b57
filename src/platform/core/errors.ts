/** A text in English, with its code and values where other languages have it (src/languages). */
export interface Reason {
  message: string;
  code?: string | undefined;
  params?: Readonly<Record<string, string | number>> | undefined;
}

/** One violation in an input. `path` is its place, such as `data.age`; empty for all of it. */
export interface Issue extends Reason {
  path: string;
}

/** Maximum number of issues in a response (spec 7). */
export const MAX_ISSUES = 20;

/** The base class of the errors that are sent to clients. The message contains no client input. */
export class AppError extends Error {
  /** The HTTP status. */
  readonly status: number;
  readonly issues: readonly Issue[] | undefined;
  /** Seconds after which a retry may succeed; sent as `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** Further members of the response. */
  readonly facts: Readonly<Record<string, unknown>> | undefined;
  readonly code: Reason['code'];
  readonly params: Reason['params'];

  constructor(
    status: number,
    reason: string | Reason,
    detail: { issues?: readonly Issue[]; retryAfter?: number; facts?: Readonly<Record<string, unknown>> } = {},
  ) {
    const { message, code, params }: Reason = typeof reason === 'string' ? { message: reason } : reason;
    super(message);
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.params = params;
    this.issues = detail.issues?.slice(0, MAX_ISSUES);
    this.retryAfter = detail.retryAfter;
    this.facts = detail.facts;
  }
}

/** 400: the input is invalid. `issues` name each place. */
export class InvalidInput extends AppError {
  constructor(message: string, issues?: readonly Issue[]) {
    super(400, message, issues ? { issues } : {});
  }
}

/** 401: the caller is not authenticated. */
export class Unauthenticated extends AppError {
  constructor(message = 'Not authenticated') {
    super(401, message);
  }
}

/** 403: the caller is not allowed to do this. */
export class Forbidden extends AppError {
  constructor(message: string | Reason, facts?: Readonly<Record<string, unknown>>) {
    super(403, message, facts ? { facts } : {});
  }
}

/** Creates the base of the errors of one status that have a message only. */
const errorOf = (status: number) =>
  class extends AppError {
    constructor(message: string) {
      super(status, message);
    }
  };

/** 404: the resource in the path does not exist. */
export class NotFound extends errorOf(404) {}

/** 404: no app has the id that the path or the query names. */
export class AppNotFound extends NotFound {
  constructor() {
    super('App not found');
  }
}

/** 409: the request conflicts with the stored state. */
export class Conflict extends AppError {
  constructor(message: string | Reason, issues?: readonly Issue[]) {
    super(409, message, issues ? { issues } : {});
  }
}

/** 410: what the request names existed, and its time is over. */
export class Gone extends errorOf(410) {}

/** 412: the stored state is no longer the one that the request names. */
export class PreconditionFailed extends errorOf(412) {}

/** 413: the request or the record exceeds a size limit. */
export class TooLarge extends errorOf(413) {}

/** 422: the `Idempotency-Key` was used for a different request. */
export class KeyReused extends AppError {
  constructor() {
    super(422, 'This Idempotency-Key was used for a different submission');
  }
}

/** 429: a rate limit is exceeded. `retryAfter` is in seconds. */
export class TooManyRequests extends AppError {
  constructor(message: string, retryAfter: number) {
    super(429, message, { retryAfter });
  }
}

/** 503: the database or a limited resource is not available; a retry may succeed. */
export class Unavailable extends AppError {
  constructor(message = 'The service cannot reach its database right now; try again shortly', retryAfter = 2) {
    super(503, message, { retryAfter });
  }
}
