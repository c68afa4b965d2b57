import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import express, { type IRouter } from 'express';
import supertest from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { createDocsRouter } from '../../src/http/docs.ts';
import { createEmbed } from '../../src/http/embed.ts';
import { listEndpoints } from '../../src/http/endpoints.ts';
import { loadConfig } from '../../src/platform/core/config.ts';
import { createLogger } from '../../src/platform/core/logger.ts';
import { document, resolveResponse } from '../support/server/openapi.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { type Example, examplesIn } from './examples.ts';

const METHODS = ['get', 'post', 'put', 'delete', 'patch'] as const;
/** Paths of HTML pages, of the files below /embed and of the document, which it does not list. */
const PAGES = /^\/($|v1[-.]|theme\.css$|(docs|dashboard|llms\.txt|openapi\.json)(\/|$))/;

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters?: { in: string; name: string; required?: boolean; schema: { pattern?: string } }[];
  requestBody?: object;
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
}

const operations: [name: string, operation: Operation][] = Object.entries<Record<string, Operation>>(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, Operation] => [
    `${method.toUpperCase()} ${path}`,
    operation,
  ]),
);

let server: TestServer;
let served: typeof document;
beforeAll(async () => {
  server = await sharedServer();
  served = await (await fetch(`${server.listener.url}/openapi.json`)).json();
});

describe('the served document', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(served))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('is the committed openapi.json, which the declarations generate', () => {
    const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
    expect(served).toEqual(JSON.parse(committed));
    expect(served).toEqual(document);
  });

  it('contains the configured name of the session cookie', async () => {
    const { body } = await supertest(express().use(createDocsRouter('other')))
      .get('/openapi.json')
      .expect(200);
    expect(body.components.securitySchemes.session).toMatchObject({ type: 'apiKey', in: 'cookie', name: 'other' });
    expect(served.components.securitySchemes.session).toMatchObject({ name: 'sid' });
  });
});

describe('every documented path', () => {
  it.each(Object.keys(document.paths))('%s accepts exactly its documented methods', async (path) => {
    // The app of the administrator exists: a form of an unknown app is 404 as well.
    const pathname = path.replaceAll(/\{\w+\}/g, 'admin');
    const documented = methodsAt(pathname);
    for (const method of METHODS) {
      const headersSent = { Accept: 'application/json' };
      const response = await fetch(server.listener.url + pathname, {
        method: method.toUpperCase(),
        headers: headersSent,
      });
      const { status, headers } = response;
      if (documented.has(method)) {
        expect(status, `${method} ${path}`).not.toBe(405);
        // Another code than that of an unknown path: the app or the link does not exist.
        if (status === 404) {
          const { code } = (await response.json()) as { code: string };
          expect(code).toMatch(/^(?!notFound$)\w+$/);
        }
        continue;
      }
      expect(status, `${method} ${path}`).toBe(405);
      const allowed = (headers.get('allow') ?? '').toLowerCase().split(', ');
      expect(allowed.filter((name) => name !== 'head').sort()).toEqual(Object.keys(served.paths[path]).sort());
    }
  });
});

/**
 * Returns the methods that the document lists for a path. A path can match several templates:
 * `/auth/users/export` also matches `/auth/users/{id}`.
 */
function methodsAt(pathname: string): Set<string> {
  const matches = (path: string): boolean => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
  const paths = Object.keys(served.paths).filter(matches);
  return new Set(paths.flatMap((path) => Object.keys(served.paths[path])));
}

it('lists every mounted route', () => {
  const config = { ...loadConfig({ NODE_ENV: 'test' }), sessionSecret: 'a secret of the tests' };
  const app = createApp({
    config,
    logger: createLogger({ logLevel: 'silent' }),
    services: server.services,
    embed: createEmbed(),
  });
  const mounted = new Set(routePaths(app.router).map((path) => path.replace(/:(\w+)/g, '{$1}')));
  expect([...mounted].filter((path) => !PAGES.test(path)).sort()).toEqual(Object.keys(served.paths).sort());
});

/** Returns the paths of all routes of a router and of the routers mounted in it. */
function routePaths(router: IRouter): string[] {
  return router.stack.flatMap(({ route, handle }) => {
    if (route) return [route.path].flat();
    return 'stack' in handle ? routePaths(handle as unknown as IRouter) : [];
  });
}

describe.each(operations)(
  '%s',
  (name, { operationId, summary, tags, security, parameters, requestBody, responses }) => {
    it('has a unique operation id, a summary and a declared tag', () => {
      expect(operations.filter(([, other]) => other.operationId === operationId)).toHaveLength(1);
      expect(summary).toMatch(/^[A-Z].{5,}/);
      const declared = served.tags.map((tag: { name: string }) => tag.name);
      for (const tag of tags) expect(declared).toContain(tag);
    });

    it('lists status 200 and every refusal with the common error schema', () => {
      const statuses = Object.keys(responses);
      const { status = 200, isRedirect } =
        listEndpoints().find((one) => one.name === operationId)?.spec ?? fail(operationId);
      expect(statuses).toContain(isRedirect ? '302' : `${status}`);
      // The origin check (403), unexpected errors (500) and Node's limit of the head (431).
      expect(statuses).toEqual(expect.arrayContaining(['403', '431', '500']));
      if (requestBody) expect(statuses).toEqual(expect.arrayContaining(['400', '413', '415']));
      if (parameters?.some((parameter) => parameter.in !== 'path')) expect(statuses).toContain('400');
      if (security.length > 0) expect(statuses).toEqual(expect.arrayContaining(['401', '503']));
      if (name.includes('/auth/apps/{sourceAppId}')) expect(statuses).toContain('404');
      for (const status of statuses.filter((code) => Number(code) >= 400)) {
        const { content } = resolveResponse(responses[status] ?? fail(operationId));
        if (status === '431') expect(content).toBeUndefined();
        else if (name === 'GET /auth/session' && status === '401')
          expect(content?.['application/json']?.schema.$ref).toBe('#/components/schemas/NoSession');
        else expect(content?.['application/json']?.schema.$ref).toBe('#/components/schemas/Error');
      }
    });

    it('declares its authentication', () => {
      const appId = parameters?.find((parameter) => parameter.name === 'x-app-id');
      const isPublic = name.includes(' /v1/');
      const namesAppInHeader = isPublic && !name.includes('{sourceAppId}');
      expect(appId?.required ?? false).toBe(namesAppInHeader);
      if (namesAppInHeader) expect(appId?.schema.pattern).toBe('^[a-zA-Z0-9._-]{1,80}$');
      const { auth, scope } = listEndpoints().find(({ name }) => name === operationId)?.spec ?? fail(operationId);
      const key = { key: scope ? [scope] : [] };
      const expected = {
        none: [],
        visitor: [],
        'app id': [{}, key],
        form: [{}, key],
        session: [{ session: [] }],
        'session or key': [{ session: [] }, key],
      };
      expect(security).toEqual(expected[auth]);
      // Every endpoint under /auth needs a session or a key with a scope, except the ways in and
      // out.
      const isOpen = [
        'POST /auth/login',
        'POST /auth/logout',
        'POST /auth/login/second',
        'POST /auth/login/link',
        'GET /auth/login',
        'POST /auth/login/passkey',
        'POST /auth/login/passkey/options',
        'GET /auth/oidc/start',
        'GET /auth/oidc/callback',
        'POST /auth/oidc/backchannel-logout',
        'POST /auth/invitations/preview',
        'POST /auth/invitations/accept',
        'POST /auth/password/forgot',
        'POST /auth/password/reset',
      ].includes(name);
      expect(['none', 'visitor', 'app id', 'form'].includes(auth)).toBe(!name.includes(' /auth/') || isOpen);
      if (auth === 'session or key') expect(scope).toBeDefined();
    });
  },
);

describe('examples', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const examples: Example[] = examplesIn(document);

  it('exist for the main request and response schemas', () => {
    for (const id of ['Submission', 'SchemaReplacement', 'Credentials', 'Schema', 'Error']) {
      expect(document.components.schemas[id], id).toHaveProperty('example');
    }
  });

  it.each(examples.map(({ pointer, value }) => [pointer, value]))('%s conforms to its schema', (pointer, value) => {
    const validate = ajv.compile({ $ref: `openapi#${pointer}` });
    validate(value);
    expect(validate.errors ?? []).toEqual([]);
  });
});

function fail(name: string): never {
  throw new Error(`no endpoint is named ${name}`);
}
