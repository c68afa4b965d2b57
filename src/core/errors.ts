/** One thing that is wrong with an input. `path` names where, as in `data.age`; an empty path is the whole input. */
export interface Issue {
  path: string;
  message: string;
}

/** How many issues an answer lists at most (spec 7). */
export const MAX_ISSUES = 20;

/**
 * What a service throws when it refuses. `status` is the HTTP status that the one error handler answers with; `message` is
 * written for the person who sent the request and never repeats what was sent.
 */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly status: number;
  readonly issues: readonly Issue[] | undefined;
  /** Seconds after which a repeat makes sense; becomes the `Retry-After` header. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, detail: { issues?: readonly Issue[]; retryAfter?: number } = {}) {
    super(message);
    this.status = status;
    this.issues = detail.issues?.slice(0, MAX_ISSUES);
    this.retryAfter = detail.retryAfter;
  }
}

/** 400: the input breaks a rule. With issues, the answer names each place. */
export class InvalidInput extends AppError {
  override readonly name = 'InvalidInput';
  constructor(message: string, issues?: readonly Issue[]) {
    super(400, message, issues ? { issues } : {});
  }
}

/** 401: who is asking is not known. */
export class Unauthenticated extends AppError {
  override readonly name = 'Unauthenticated';
  constructor(message = 'Not authenticated') {
    super(401, message);
  }
}

/** 403: known, but not allowed. */
export class Forbidden extends AppError {
  override readonly name = 'Forbidden';
  constructor(message: string) {
    super(403, message);
  }
}

/** 404: what the path names does not exist. */
export class NotFound extends AppError {
  override readonly name = 'NotFound';
  constructor(message: string) {
    super(404, message);
  }
}

/** 409: the request and what is stored exclude one another. */
export class Conflict extends AppError {
  override readonly name = 'Conflict';
  constructor(message: string) {
    super(409, message);
  }
}

/** 412: what is stored is no longer what the request was made for. */
export class PreconditionFailed extends AppError {
  override readonly name = 'PreconditionFailed';
  constructor(message: string) {
    super(412, message);
  }
}

/** 413: larger than what is taken. */
export class TooLarge extends AppError {
  override readonly name = 'TooLarge';
  constructor(message: string) {
    super(413, message);
  }
}

/** 422: an `Idempotency-Key` was used again for something else. */
export class KeyReused extends AppError {
  override readonly name = 'KeyReused';
  constructor() {
    super(422, 'This Idempotency-Key was used for a different submission');
  }
}

/** 429: too many of these for now. `retryAfter` in seconds. */
export class TooManyRequests extends AppError {
  override readonly name = 'TooManyRequests';
  constructor(message: string, retryAfter: number) {
    super(429, message, { retryAfter });
  }
}

/** 503: the database (or room to wait for it) is not there now. The same request may succeed in a moment. */
export class Unavailable extends AppError {
  override readonly name = 'Unavailable';
  constructor(message = 'The service cannot reach its database right now; try again shortly', retryAfter = 2) {
    super(503, message, { retryAfter });
  }
}
