/** The parts of an OpenAPI document that the page shows. */
export interface ApiDocument {
  info: { title: string; version: string; description?: string };
  tags: readonly { name: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    responses: Readonly<Record<string, Answer>>;
    securitySchemes: Readonly<Record<string, { description?: string; name?: string }>>;
  };
}

export interface Operation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  security: readonly Readonly<Record<string, readonly string[]>>[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Content };
  responses: Readonly<Record<string, Answer | { $ref: string }>>;
}

interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Answer {
  description: string;
  content?: Content;
}

export type Content = Readonly<Record<string, { schema: Schema }>>;

/** A JSON Schema, with the keywords that the page shows. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  example?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
}

/** Returns an example of values that a schema accepts; undefined if it does not declare enough. */
export function exampleOf(api: ApiDocument, schema: Schema): unknown {
  if (schema.$ref !== undefined) {
    const named = api.components.schemas[nameOf(schema.$ref)];
    return named && exampleOf(api, named);
  }
  if (schema.example !== undefined) return schema.example;
  const fixed = schema.const ?? schema.enum?.[0] ?? schema.default;
  if (fixed !== undefined) return fixed;
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return exampleOf(api, choice);
  if (schema.type === 'boolean') return true;
  if (schema.items) {
    const item = exampleOf(api, schema.items);
    return item === undefined ? undefined : [item];
  }
  if (!schema.properties) return undefined;
  const { properties, required = [] } = schema;
  const members = Object.entries(properties).map(([name, member]) => [name, exampleOf(api, member)] as const);
  if (members.some(([name, value]) => value === undefined && required.includes(name))) return undefined;
  const known = members.filter(([, value]) => value !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** The name of a type that is referred to. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
