import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { Response } from 'supertest';
import { createOpenApiDocument } from '../../src/api/openapi.ts';
import { listEndpoints } from '../../src/http/endpoints.ts';

/** The OpenAPI document in the JSON form that the service sends. */
export const document = JSON.parse(JSON.stringify(createOpenApiDocument(listEndpoints())));

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajvFormats.default(ajv);
ajv.addSchema(document, 'openapi');

const paths = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));
const compiled = new Map<string, ValidateFunction>();

/**
 * Throws unless the OpenAPI document declares the status, content type and body of a response.
 * Ignores paths and methods that the document does not declare.
 */
export function assertDocumented(method: string, pathname: string, response: Response): void {
  const path = (paths.find(({ path }) => path === pathname) ?? paths.find(({ pattern }) => pattern.test(pathname)))
    ?.path;
  const operation = path && document.paths[path][method.toLowerCase()];
  if (!path || !operation) return;
  const declared = operation.responses[String(response.status)];
  if (!declared)
    throw new Error(`${method} ${path} responded with ${response.status}, which the OpenAPI document does not list`);
  if (!declared.content) return;
  if (!declared.content[response.type])
    throw new Error(
      `${method} ${path} ${response.status} is of type ${response.type}, which the document does not list`,
    );
  if (response.type !== 'application/json') return;
  const pointer = [
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    String(response.status),
    'content',
    'application/json',
    'schema',
  ];
  const validate = validatorOf(`openapi#/${pointer.map(escapePointer).join('/')}`);
  if (!validate(response.body)) {
    throw new Error(`${method} ${path} ${response.status} is not as documented: ${ajv.errorsText(validate.errors)}`);
  }
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
