import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiContentObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { BodySpec, EndpointSpec, Route } from '../core/api/endpoint.ts';
import { ErrorBody } from '../platform/http/validation.ts';

const REQUEST_ID = {
  'X-Request-Id': { description: 'Names this request in the log', schema: { type: 'string' as const } },
};
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' as const } } };

const TEXT = { type: 'string' as const };
const OBJECT = { type: 'object' as const };
const FILE = { type: 'string' as const, format: 'binary' as const };
const PAGE = { 'text/html': { schema: TEXT } };
/** The entries of an HTML form. A name that is sent several times has a list. */
const FORM = {
  type: 'object' as const,
  additionalProperties: { anyOf: [TEXT, { type: 'array' as const, items: TEXT }] },
};

const KEY_DESCRIPTION =
  'Its scopes are listed with each operation that requires one. A request has a session or an API key, not both.';

const AppIdHeader = z
  .string()
  .regex(/^[a-zA-Z0-9._-]{1,80}$/)
  .meta({ description: "The app's sourceAppId. With an API key it may be left out", example: 'newsletter' });

/** Creates the OpenAPI 3.1 document from the declarations that define routing and validation. */
export function createOpenApiDocument(endpoints: readonly Pick<Route, 'name' | 'spec'>[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const { name, spec } of endpoints) {
    const path = spec.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [spec.method]: operation(name, spec) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'User Collection Service',
      version: '1.0.0',
      description:
        'Collects user records from forms, apps and devices. Public clients name their app in `x-app-id`; operators and admins log in and hold a cookie session; programs send an API key with the scopes that it needs. Refusals have a body `{ message }`, and `errors` that name each place when the input breaks a rule.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      'Public',
      'Sessions',
      'Accounts',
      'Members',
      'Own account',
      'Users',
      'People',
      'Imports',
      'Apps',
      'Schemas',
      'Forms',
      'Webhooks',
      'Emails',
      'API keys',
      'Audit',
      'Operation',
    ].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'sid', description: 'Set by `POST /auth/login`' },
        key: { type: 'http', scheme: 'bearer', description: `An API key (\`uck_...\`). ${KEY_DESCRIPTION}` },
      },
    },
  });
}

function operation(name: string, spec: EndpointSpec): ZodOpenApiOperationObject {
  const header = spec.auth === 'app id' ? z.object({ 'x-app-id': AppIdHeader, ...spec.headers?.shape }) : spec.headers;
  const parameters = {
    ...(header && { header }),
    ...(spec.params && { path: spec.params }),
    ...(spec.query && { query: spec.query }),
  };
  return {
    operationId: name,
    tags: [spec.tag],
    summary: spec.summary,
    ...(spec.description && { description: spec.description }),
    security: describeSecurity(spec),
    ...(Object.keys(parameters).length > 0 && { requestParams: parameters }),
    ...(spec.body && { requestBody: describeBody(spec.body) }),
    ...(spec.upload && { requestBody: { required: true, content: describeContent(spec.upload, () => FILE) } }),
    responses: responses(spec),
  };
}

/** The ways to authenticate. An empty one represents a request without credentials. */
function describeSecurity({ auth, scope }: EndpointSpec): Record<string, string[]>[] {
  const key = { key: scope ? [scope] : [] };
  if (auth === 'session') return [{ session: [] }];
  if (auth === 'session or key') return [{ session: [] }, key];
  return takesKeys(auth) ? [{}, key] : [];
}

const takesKeys = (auth: EndpointSpec['auth']): boolean => ['app id', 'form', 'session or key'].includes(auth);

function describeBody({ schema, types }: BodySpec) {
  const content = describeContent(types, (type) => (type === 'application/json' ? schema : FORM));
  return { required: !(schema instanceof z.ZodOptional), content };
}

function describeContent<Schema>(types: readonly string[], describe: (type: string) => Schema) {
  return Object.fromEntries(types.map((type) => [type, { schema: describe(type) }]));
}

function responses(spec: EndpointSpec): ZodOpenApiResponsesObject {
  const described = Object.entries(spec.responseHeaders ?? {}).map(
    ([name, description]) => [name, { description, schema: TEXT }] as const,
  );
  const location = { ...REQUEST_ID, Location: { description: 'The page to show', schema: TEXT } };
  const headers = { ...REQUEST_ID, ...Object.fromEntries(described) };
  const downloads = describeContent(spec.downloads ?? [], (type) => {
    if (spec.isFile) return FILE;
    return type.endsWith('json') ? OBJECT : TEXT;
  });
  const success: ZodOpenApiResponsesObject = {
    [`${spec.status ?? 200}`]: {
      description: 'Success',
      headers,
      content: {
        ...ownContent(spec),
        ...downloads,
      },
    },
  };
  if (spec.isFile) success['206'] = { description: 'The bytes that `Range` names', headers, content: downloads };
  const redirect = { '302': { description: 'Leads to the next page', headers: location } };
  const all: ZodOpenApiResponsesObject = spec.isRedirect ? redirect : success;
  if (spec.accepted) {
    const content = { 'application/json': { schema: spec.accepted } };
    const { description = 'A second factor is required' } = spec.accepted.meta() ?? {};
    all['202'] = { description, headers: REQUEST_ID, content };
  }
  if (spec.pages) {
    all['303'] = { description: 'The answer of a success to a browser', headers: location };
  }
  if (spec.conditional) all['304'] = { description: 'Not changed since the version that `If-None-Match` names' };
  const refused = spec.auth === 'form' && !spec.upload ? REFUSED_PAGES : REFUSED;
  for (const status of refusals(spec)) all[`${status}` as '400'] = refused(status);
  if (spec.unauthenticated) all['401'] = describeRefusal(401, { 'application/json': { schema: spec.unauthenticated } });
  // Node refuses such a request itself, for every endpoint.
  all['431'] = HEAD_TOO_LARGE;
  return all;
}

function ownContent({ isPage, isFile, response }: EndpointSpec): ZodOpenApiContentObject {
  if (isFile || response instanceof z.ZodNever) return {};
  return isPage ? PAGE : { 'application/json': { schema: response } };
}

const HEAD_TOO_LARGE: ZodOpenApiResponseObject = {
  id: 'Error431',
  description: 'More than 16 kB of address and headers. Without a body; the connection ends',
};

const REFUSED = createRefusals('Error', {});
const REFUSED_PAGES = createRefusals('ErrorOrPage', PAGE);

/** Creates a function that returns the response of a status: the same object is one component. */
function createRefusals(name: string, pages: ZodOpenApiContentObject) {
  const created = new Map<number, ZodOpenApiResponseObject>();
  return (status: number): ZodOpenApiResponseObject => {
    const response = created.get(status) ?? {
      id: `${name}${status}`,
      ...describeRefusal(status, { 'application/json': { schema: ErrorBody }, ...pages }),
    };
    created.set(status, response);
    return response;
  };
}

function describeRefusal(status: number, content: ZodOpenApiContentObject): ZodOpenApiResponseObject {
  return {
    description: STATUS_CODES[status] ?? 'Refused',
    headers: status === 429 || status === 503 ? { ...REQUEST_ID, ...RETRY_AFTER } : REQUEST_ID,
    content,
  };
}

/** The error statuses of an endpoint: its own, and those of CORS, caller, app and inputs. */
export function refusals(spec: EndpointSpec): number[] {
  const statuses = new Set(spec.errors);
  statuses.add(403); // the origin check
  statuses.add(500);
  if (spec.auth !== 'none') statuses.add(400); // a session and an API key in one request
  if (spec.body || spec.query || spec.headers) statuses.add(400);
  if (spec.auth === 'form' || spec.scoped) statuses.add(404);
  if (spec.auth === 'session' || takesKeys(spec.auth)) for (const status of [401, 429]) statuses.add(status);
  if (spec.auth !== 'none') statuses.add(503);
  if (spec.body || spec.upload) for (const status of [413, 415]) statuses.add(status);
  return [...statuses].sort((a, b) => a - b);
}
