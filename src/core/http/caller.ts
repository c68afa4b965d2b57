import type { Request } from 'express';
import { Forbidden } from '../../platform/core/errors.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { EndpointSpec } from '../api/endpoint.ts';
import type { AppPrincipal, Principal } from '../api/principal.ts';
import type { Authenticate } from './auth.ts';

/** The caller of one request, who is checked again after a wait and in the course of long work. */
export class Caller {
  /** As the last check found it; undefined if the endpoint requires none. */
  principal: Principal | undefined;
  /** Whether the request waited for its client since the first check. */
  hasWaited = false;

  readonly #spec: EndpointSpec;
  readonly #authenticate: Authenticate;
  readonly #req: Request;
  #checkedAt = 0;

  constructor(spec: EndpointSpec, authenticate: Authenticate, req: Request) {
    this.#spec = spec;
    this.#authenticate = authenticate;
    this.#req = req;
  }

  /**
   * Authenticates and authorizes the caller. The result is no promise if nothing has to be read.
   * @param isAgain as in `Authenticate`
   * @throws {AppError}
   */
  check(isAgain = false): Promise<void> | undefined {
    const at = performance.now();
    const found = this.#authenticate(this.#req, this.#spec, isAgain);
    if (found instanceof Promise) return found.then((principal) => this.#admit(principal, at));
    this.#admit(found, at);
    return undefined;
  }

  #admit(found: Principal | undefined, at: number): void {
    authorize(this.#spec, found, this.#req);
    this.principal = found;
    this.#checkedAt = at;
  }

  /**
   * Checks the caller again, unless the last check is younger than `maxAgeMs`. The request still
   * has the same cookie or key, so a caller that is found is the same session, account or key.
   * @throws {Unauthenticated} @throws {Forbidden} also when the role or the app is another one
   */
  async recheck(maxAgeMs = 0): Promise<void> {
    const before = this.principal;
    if (!before || before.kind === 'public' || performance.now() - this.#checkedAt < maxAgeMs) return;
    await this.check(true);
    if (!hasSameAccess(before, this.principal as AppPrincipal)) {
      throw new Forbidden('callerChanged');
    }
  }
}

/** The input of a request was read for this role and this app. */
const hasSameAccess = (one: AppPrincipal, other: AppPrincipal): boolean =>
  one.role === other.role && String(one.own?.id) === String(other.own?.id);

/** @throws {Forbidden} when the caller lacks the role or the scope, or names the app of others */
function authorize(spec: EndpointSpec, principal: Principal | undefined, req: Request): void {
  const { role, scope, everyApp } = spec;
  if (role && !hasRole(role, principal, req)) throw new Forbidden('adminRequired');
  const ofAll = everyApp && principal?.kind === 'session' && principal.own === undefined;
  if (scope && !ofAll && !principal?.scopes.has(scope)) {
    // An account that has to name the app learns that, rather than that it may not do this.
    if (principal?.kind === 'session' && !principal.app) return;
    throw new Forbidden(say('scopeRequired', { scope }));
  }
  if (namesOtherApp(spec, principal, req)) throw new Forbidden('adminRequired');
}

/** Whether a request of a caller without the role `admin` names another app than the caller's. */
function namesOtherApp({ scoped, query }: EndpointSpec, principal: Principal | undefined, req: Request): boolean {
  if (!principal || principal.kind === 'public' || principal.role === 'admin') return false;
  if (!scoped && !query?.shape.sourceAppId) return false;
  const named = req.params.sourceAppId ?? req.query.sourceAppId;
  return typeof named === 'string' && named !== principal.own?.sourceAppId;
}

function hasRole(role: NonNullable<EndpointSpec['role']>, principal: Principal | undefined, req: Request): boolean {
  if (!principal || principal.kind === 'public') return false;
  if (principal.role === 'admin') return true;
  if (role === 'admin' || (principal.kind === 'session' && !principal.account)) return false;
  return req.params.sourceAppId === principal.own?.sourceAppId;
}
