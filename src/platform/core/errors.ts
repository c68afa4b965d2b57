import { type Given, type Issue, MAX_ISSUES, type Reason, toReason } from '../languages/reasons.ts';

/** The base class of the errors that are sent to clients. Its text contains no client input. */
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
    reason: Given,
    detail: { issues?: readonly Issue[]; retryAfter?: number; facts?: Readonly<Record<string, unknown>> } = {},
  ) {
    const { message, code, params } = toReason(reason);
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
  constructor(reason: Given, issues?: readonly Issue[]) {
    super(400, reason, issues ? { issues } : {});
  }
}

/** 401: the caller is not authenticated. */
export class Unauthenticated extends AppError {
  constructor(reason: Given = 'notAuthenticated') {
    super(401, reason);
  }
}

/** 403: the caller is not allowed to do this. */
export class Forbidden extends AppError {
  constructor(reason: Given, facts?: Readonly<Record<string, unknown>>) {
    super(403, reason, facts ? { facts } : {});
  }
}

/** Creates the base of the errors of one status that have a reason only. */
const errorOf = (status: number) =>
  class extends AppError {
    constructor(reason: Given) {
      super(status, reason);
    }
  };

/** 404: the resource in the path does not exist. */
export class NotFound extends errorOf(404) {}

/** 404: no app has the id that the path or the query names. */
export class AppNotFound extends NotFound {
  constructor() {
    super('appNotFound');
  }
}

/** 409: the request conflicts with the stored state. */
export class Conflict extends AppError {
  constructor(reason: Given, issues?: readonly Issue[]) {
    super(409, reason, issues ? { issues } : {});
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
    super(422, 'keyReused');
  }
}

/** 429: a rate limit is exceeded. `retryAfter` is in seconds. */
export class TooManyRequests extends AppError {
  constructor(reason: Given, retryAfter: number) {
    super(429, reason, { retryAfter });
  }
}

/** 503: the database or a limited resource is not available; a retry may succeed. */
export class Unavailable extends AppError {
  constructor(reason: Given = 'noDatabase', retryAfter = 2) {
    super(503, reason, { retryAfter });
  }
}

/** An error with the name of its class; no client reads its text. */
export class NamedError extends Error {
  constructor(...given: ConstructorParameters<typeof Error>) {
    super(...given);
    this.name = new.target.name;
  }
}

/** A command of the tool failed. Its text is for the terminal; no client reads it. */
export class CommandFailed extends Error {}
