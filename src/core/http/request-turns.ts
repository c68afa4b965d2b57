import type { Request } from 'express';
import { clientNetwork } from '../../platform/core/client-network.ts';
import type { Deadline } from '../../platform/http/deadline.ts';
import type { Load, OperatorLoad, RequestTurn } from '../../platform/http/operator-load.ts';
import type { AnyInput, EndpointSpec } from '../api/endpoint.ts';

const DEFAULT_LOAD = 'read';

/**
 * Whether requests of an endpoint wait for a turn: those of operators, and those with a declared
 * `load`; never uploads.
 */
export function hasTurns({ auth, upload, load }: Pick<EndpointSpec, 'auth' | 'upload' | 'load'>): boolean {
  return (auth === 'session' || auth === 'session or key' || load !== undefined) && upload === undefined;
}

/** Resolves in the turn of a request of an operator. @throws {AppError} as `OperatorLoad` does */
export function beginTurn(
  load: Pick<OperatorLoad, 'begin'>,
  spec: EndpointSpec,
  input: AnyInput,
  deadline: Deadline,
): Promise<RequestTurn> {
  const of = { app: `app ${sharingApp(input)}`, caller: callerOf(input.principal, input.req) };
  return load.begin(resolveLoad(spec, input), of, { res: input.res, deadline });
}

export function resolveLoad(
  { load = DEFAULT_LOAD }: Pick<EndpointSpec, 'load'>,
  { query }: Pick<AnyInput, 'query'>,
): Load {
  return typeof load === 'function' ? load(query ?? {}) : load;
}

/** Names the network of the client of a request, whose share its look-ups use. */
export const networkOf = ({ ip = '' }: Request): string => `network ${clientNetwork(ip)}`;

/** Requests of strangers share the turns of their network. */
function callerOf(principal: AnyInput['principal'], req: Request): string {
  if (!principal || principal.kind === 'public') return networkOf(req);
  return principal.kind === 'key' ? `key ${principal.keyId}` : `session ${req.sessionID}`;
}

/** The app whose share a request uses: the one that an admin names, or that of the caller. */
function sharingApp({ principal, params, query }: AnyInput): string | undefined {
  const named = params?.sourceAppId ?? query?.sourceAppId;
  if (!principal || principal.kind === 'public') return principal?.sourceAppId;
  return principal.role === 'admin' && typeof named === 'string' ? named : principal.own?.sourceAppId;
}
