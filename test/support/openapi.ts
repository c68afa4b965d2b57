import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { Response } from 'supertest';
import { createOpenApiDocument } from '../../src/api/openapi.ts';
import { allEndpoints } from '../../src/http/endpoints.ts';

/** The document as it is served: what is asserted about it holds for clients too. */
export const document = JSON.parse(JSON.stringify(createOpenApiDocument(allEndpoints)));

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajvFormats.default(ajv);
ajv.addSchema(document, 'openapi');

const paths = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));
const compiled = new Map<string, ValidateFunction>();

/** Fails unless the document foresees this answer: its status, and the shape of its body. What no endpoint is named for is not checked. */
export function assertDocumented(method: string, pathname: string, response: Response): void {
  const path = paths.find(({ pattern }) => pattern.test(pathname))?.path;
  const operation = path && document.paths[path][method.toLowerCase()];
  if (!path || !operation) return;
  const described = operation.responses[String(response.status)];
  if (!described)
    throw new Error(`${method} ${path} answered ${response.status}, which the OpenAPI document does not list`);
  if (!described.content) return;
  if (!described.content[response.type])
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
