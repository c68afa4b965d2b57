import type { z } from 'zod';
import type { appEndpoints } from '../../../src/apps/apps.contract.ts';
import type { schemaEndpoints } from '../../../src/schemas/schemas.contract.ts';
import type { sessionEndpoints } from '../../../src/sessions/sessions.contract.ts';
import type { schemaCheckEndpoints } from '../../../src/users/schema-check.contract.ts';
import type { userStatsEndpoints } from '../../../src/users/user-stats.contract.ts';
import type { userEndpoints } from '../../../src/users/users.contract.ts';

// Only types come from the contracts, so nothing of the service gets into the pages, and an endpoint that changes breaks their build.

type Endpoints = typeof appEndpoints &
  typeof schemaCheckEndpoints &
  typeof schemaEndpoints &
  typeof sessionEndpoints &
  typeof userEndpoints &
  typeof userStatsEndpoints;
type Spec = Endpoints[keyof Endpoints];

type NameOf<One extends Spec> = One extends Spec ? `${Uppercase<One['method']>} ${One['path']}` : never;

/** An endpoint by its method and path, like `GET /auth/users/:id`. */
export type EndpointName = NameOf<Spec>;

type SpecOf<Name extends EndpointName, One extends Spec = Spec> = One extends Spec
  ? NameOf<One> extends Name
    ? One
    : never
  : never;

type Part<One, Name extends string> = One extends { [Key in Name]: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : undefined;

/** Queries are text on the wire; numbers are written out. */
type Query<Values> = Values extends object ? { [Key in keyof Values]?: string | number | undefined } : undefined;

/** The JSON that an endpoint answers. */
export type Answer<Name extends EndpointName> = z.output<SpecOf<Name>['response']>;

/** What an endpoint takes; the parts that its contract does not declare are left out. */
export interface Request<Name extends EndpointName> {
  params?: Part<SpecOf<Name>, 'params'>;
  query?: Query<Part<SpecOf<Name>, 'query'>>;
  body?: Part<SpecOf<Name>, 'body'>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export type UserRecord = Answer<'GET /auth/users'>['users'][number];
export type AppRecord = Answer<'GET /auth/apps'>['apps'][number];
export type Schema = Answer<'GET /auth/apps/:sourceAppId/schema'>;
export type Field = Schema['fields'][number];
export type Kind = Field['kind'];
export type Session = Answer<'GET /auth/session'>;
