import type { ValueType } from '../../core/fields/base/kind.ts';
import { FIELD_KEY_PATTERN } from '../../core/fields/base/kind.ts';
import { type FieldDefinition, isConditional, publicFields } from '../../core/fields/definition.ts';
import { getKind } from '../../core/fields/kinds/registry.ts';
import type { AppSchema } from '../../core/schemas/schemas.model.ts';
import { plainLabel } from '../../features/display/marks.ts';

const IMPORT =
  "import { type ClientOptions, createClient, type SubmitOptions, type Submitted } from 'user-collection-service/client';";

/**
 * Returns a TypeScript module with the type of the `data` of an app and a typed `submit()`. The
 * same schema gives the same bytes. Each text of the schema stays within one literal or comment.
 */
export function generateTypes(sourceAppId: string, { version, rejectUnknown, fields }: AppSchema): string {
  const app = literal(sourceAppId);
  return `// Written by \`user-collection-service types\`; changes are lost.
// App: ${commentText(sourceAppId)}. Version of the schema: ${version}.

${IMPORT}

/** The values of a submission. */
export interface Data {
${publicFields(fields).map(property).join('')}${rejectUnknown ? '' : '  /** The schema allows further keys. */\n  [key: string]: unknown;\n'}}

/** Submits the values of one person, exactly once (\`createClient\`). */
export function submit(
  email: string,
  data: Data,
  { key, captcha, ...options }: Omit<ClientOptions, 'app'> & SubmitOptions,
): Promise<Submitted> {
  return createClient<Data>({ ...options, app: ${app} }).submit(email, data, { key, captcha });
}
`;
}

function property(field: FieldDefinition): string {
  const { key } = field;
  const label = plainLabel(field);
  const isAlways = field.required && !isConditional(field);
  const name = FIELD_KEY_PATTERN.test(key) ? key : literal(key);
  const comment = label === '' || label === key ? '' : `  /** ${commentText(label)} */\n`;
  return `${comment}  ${name}${isAlways ? '' : '?'}: ${typeText(getKind(field.kind).valueType(field))};\n`;
}

function typeText(type: ValueType): string {
  switch (type) {
    case 'text':
      return 'string';
    case 'agreed':
      return 'true';
    case 'list':
      return 'readonly unknown[]';
    case 'tokens':
      return 'readonly string[]';
    case 'number':
    case 'boolean':
      return type;
    default:
      if ('oneOf' in type) return unionOf(type.oneOf);
      return `readonly (${unionOf(type.someOf)})[]`;
  }
}

const unionOf = (values: readonly string[]): string => [...new Set(values)].map(literal).join(' | ');

/** Characters that a reader does not see, or that end a line or reorder it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A string literal in ASCII as far as a reader could be misled. */
function literal(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** One line of a comment. `@` would begin a tag of JSDoc. */
function commentText(text: string): string {
  return text.replace(UNSEEN, ' ').replaceAll('*/', '* /').replaceAll('@', '＠').trim();
}
