import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { Response } from 'supertest';
import { listEndpoints } from '../../../src/http/endpoints.ts';
import { createOpenApiDocument } from '../../../src/http/openapi.ts';
import { assertCoded } from './coded.ts';

/** The OpenAPI document in the JSON form that the service sends. */
export const document = JSON.parse(JSON.stringify(createOpenApiDocument(listEndpoints())));

/** Returns the response that a reference names; anything else as it is. */
export function resolveResponse<Response extends object>(response: Response & { $ref?: string }): Response {
  const name = response?.$ref?.split('/').at(-1);
  return name === undefined ? response : document.components.responses[name];
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajvFormats.default(ajv);
ajv.addSchema(document, 'openapi');

const paths = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));
const compiled = new Map<string, ValidateFunction>();

/**
 * Throws unless the OpenAPI document declares the status, content type and body of a response, and
 * each error of the common schema has its code. Ignores paths and methods that the document does
 * not declare.
 */
export function assertDocumented(method: string, pathname: string, response: Response): void {
  const path = (paths.find(({ path }) => path === pathname) ?? paths.find(({ pattern }) => pattern.test(pathname)))
    ?.path;
  const operation = path && document.paths[path][method.toLowerCase()];
  if (!path || !operation) return;
  const declared = resolveResponse(operation.responses[String(response.status)]);
  if (!declared)
    throw new Error(`${method} ${path} responded with ${response.status}, which the OpenAPI document does not list`);
  if (!declared.content) return;
  if (!declared.content[response.type])
    throw new Error(
      `${method} ${path} ${response.status} is of type ${response.type}, which the document does not list`,
    );
  if (response.type !== 'application/json') return;
  const own = ['paths', path, method.toLowerCase(), 'responses', String(response.status)];
  const shared: string[] | undefined = operation.responses[String(response.status)].$ref?.slice(2).split('/');
  const pointer = [...(shared ?? own), 'content', 'application/json', 'schema'];
  const validate = validatorOf(`openapi#/${pointer.map(escapePointer).join('/')}`);
  if (!validate(response.body)) {
    throw new Error(`${method} ${path} ${response.status} is not as documented: ${ajv.errorsText(validate.errors)}`);
  }
  // A refusal that is described in its operation has a body of its own.
  if (response.status >= 400 && shared) assertCoded(response.body, response.headers['content-language'] !== undefined);
}

function validatorOf(ref: string): ValidateFunction {
  const known = compiled.get(ref);
  if (known) return known;
  const validate = ajv.compile({ $ref: ref });
  compiled.set(ref, validate);
  return validate;
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
