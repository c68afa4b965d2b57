import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { KeyScope } from '../api/endpoints.ts';
import { shellQuote } from '../connect/snippets/escape.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import type { Scope } from '../users/scope.ts';

/** A request that a key with a scope may send. */
interface Sample {
  path: string;
  /** Undefined: a GET. */
  body?: object;
}

const EMAIL = 'ada@example.com';
/** Nobody has it, so that the command erases nothing. */
const NOBODY = 'nobody@example.com';

/** The requests by the scope that they need; those that only read come first. */
const SAMPLES: Readonly<Record<Exclude<KeyScope, 'submit'>, (sourceAppId: string) => Sample>> = {
  'users:read': () => ({ path: '/auth/users?limit=1' }),
  export: () => ({ path: '/auth/users/export?format=ndjson' }),
  import: () => ({ path: '/auth/imports' }),
  webhooks: () => ({ path: '/auth/webhooks' }),
  'schema:write': (sourceAppId) => ({ path: `/auth/apps/${encodeURIComponent(sourceAppId)}/schema` }),
  'users:write': () => ({ path: '/auth/people/erase', body: { email: NOBODY } }),
};

/** A request for the first scope of a key; `null` if the form requires a file. */
export const sampleQuery = (scope: Scope, scopes: readonly KeyScope[]) =>
  queryOptions({
    queryKey: ['key-sample', scope.sourceAppId, ...scopes],
    queryFn: async ({ client }): Promise<Sample | null> => {
      const first = (Object.keys(SAMPLES) as (keyof typeof SAMPLES)[]).find((one) => scopes.includes(one));
      if (first && !scopes.includes('submit')) return SAMPLES[first](scope.sourceAppId);
      return (await submission(scope, client)) ?? (first ? SAMPLES[first](scope.sourceAppId) : null);
    },
  });

/** A submission with example values. The rules of fields are large, so they are loaded here. */
async function submission(scope: Scope, client: QueryClient): Promise<Sample | undefined> {
  const [{ publicSample }, schema] = await Promise.all([
    import('../connect/snippets/code-snippets.ts'),
    client.fetchQuery(scopedSchemaQuery(scope)),
  ]);
  if (schema.fields.some(({ kind, required }) => kind === 'file' && required)) return undefined;
  const data = Object.entries(publicSample(schema));
  const files = schema.fields.filter(({ kind }) => kind === 'file').map(({ key }) => key);
  return {
    path: '/v1/users',
    body: { email: EMAIL, data: Object.fromEntries(data.filter(([key]) => !files.includes(key))) },
  };
}

/** The command of a terminal that sends a request with a key. */
export function keyCommand(key: string, { path, body }: Sample): string {
  return [
    `curl -sS ${shellQuote(window.location.origin + path)}`,
    `-H ${shellQuote(['Authorization', `Bearer ${key}`].join(': '))}`,
    ...(body ? [`-H 'Content-Type: application/json'`, `-d ${shellQuote(JSON.stringify(body))}`] : []),
  ].join(' \\\n  ');
}
