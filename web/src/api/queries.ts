import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { EndpointName, Request } from './endpoints.ts';

/** A query that reads an endpoint. */
export function endpointQuery<Name extends EndpointName, Key extends readonly unknown[]>(
  queryKey: Key,
  name: Name,
  request: Request<Name> = {},
) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => call(name, { ...request, signal }) });
}
