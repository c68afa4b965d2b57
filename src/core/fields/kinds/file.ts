import { z } from 'zod';
import { code, problem } from '../../../platform/languages/problems.ts';
import { FILE_TYPE_NAMES, FILE_TYPES, type FileTypeName } from '../../../platform/text/file-types.ts';
import { help } from '../base/form-options.ts';
import { defineKind } from '../base/kind.ts';

/** A file that a record names. `id`: of its document; `size`: in bytes. */
export interface FileValue {
  id: string;
  /** With no path and no control characters. */
  name: string;
  type: FileTypeName;
  size: number;
  /** In hexadecimal digits. */
  sha256: string;
}

/** The most files of a field. */
export const MAX_FILES = 10;

/** Whether a value of any type is a file. */
export const isFile = (value: unknown): value is FileValue => {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, type, size, sha256 } = value as Partial<Record<keyof FileValue, unknown>>;
  return [id, name, type, sha256].every((text) => typeof text === 'string') && Number.isSafeInteger(size);
};

const Value = z.custom<FileValue[]>((value) => Array.isArray(value) && value.every(isFile), code('notFiles'));

const MaxFiles = z.int().min(1).max(MAX_FILES);

/** A token of an upload: the base64url of 32 bytes. */
export const TOKEN = /^[\w-]{43}$/;

const SAMPLE_TOKEN = '_the_token_that_the_upload_was_answered_wit';

/**
 * Files that were sent before (spec 4.14). A submission has their tokens as the value; they become
 * the stored value before it is checked. A field has no index, and `where` knows only whether it is
 * there.
 */
export const file = defineKind({
  name: 'file',
  options: {
    types: {
      schema: z
        .array(z.enum(FILE_TYPE_NAMES))
        .min(1, code('noTypes'))
        .max(FILE_TYPE_NAMES.length)
        .meta({ description: 'The types of files that it takes' }),
      control: 'someOf',
      values: FILE_TYPE_NAMES,
      initial: ['pdf', 'png', 'jpeg'],
    },
    maxFiles: { schema: MaxFiles.optional(), control: 'number', stricter: 'lower' },
    maxBytes: { schema: z.int().min(1).optional(), control: 'number', stricter: 'lower' },
  },
  formOptions: { help },

  schema({ required, types, maxFiles = 1, maxBytes = Number.POSITIVE_INFINITY }) {
    const allowed: ReadonlySet<string> = new Set(types);
    return Value.check(({ value, issues }) => {
      const other = value.findIndex(({ type }) => !allowed.has(type));
      const larger = value.findIndex(({ size }) => size > maxBytes);
      if (value.length > maxFiles) issues.push(problem('tooManyFiles', { max: maxFiles }));
      else if (other >= 0) issues.push(problem('fileType', { types: types.join(', ') }, [String(other)]));
      else if (larger >= 0) issues.push(problem('fileTooLarge', { max: maxBytes / 1_000_000 }, [String(larger)]));
      else if (required && value.length === 0) issues.push(problem('required'));
    });
  },

  describe: ({ required, maxFiles = 1 }) => ({
    type: 'array',
    items: { type: 'string', pattern: TOKEN.source },
    minItems: required ? 1 : 0,
    maxItems: maxFiles,
    uniqueItems: true,
    $comment: 'The tokens of files that were uploaded for this field',
  }),

  staysHidden: true,
  holdsFiles: true,
  queried: { name: 'file', operators: ['exists'], chart: 'none' },
  cell: 'items',
  inWords: (value, { name }) =>
    Array.isArray(value) ? value.map((one) => nameOf(one) ?? name(one)).join(', ') : undefined,
  repliedTo: 'nobody',
  // A form sends an empty text when a person removes all files.
  fromTexts(texts, { required }) {
    const tokens = texts.filter((text) => text !== '');
    return tokens.length > 0 || (texts.length > 0 && required === false) ? { value: tokens } : undefined;
  },
  // No token is known before an upload.
  sample: ({ required }) => (required ? [SAMPLE_TOKEN] : []),
  valueType: () => 'tokens',
  control: 'file',
  attributes: ({ types, maxFiles = 1 }) => ({
    accept: [...new Set(types)].flatMap((type) => FILE_TYPES[type].extensions.map((one) => `.${one}`)).join(','),
    ...(maxFiles > 1 && { multiple: 'multiple' }),
  }),
  ruleText({ types, maxFiles: max = 1, maxBytes }, text) {
    if (maxBytes === undefined) return undefined;
    const known = { types: types.map((type) => type.toUpperCase()).join(', '), size: megabytes(maxBytes) };
    return max === 1 ? text('fileRules', known) : text('filesRules', { ...known, max });
  },
});

/** The value may be older than the kind of its field. */
function nameOf(value: unknown): string | undefined {
  const { name } = Object(value);
  return typeof name === 'string' ? name : undefined;
}

/** With two decimals, rounded down, unless that is 0. */
const megabytes = (bytes: number): number => Math.floor(bytes / 10_000) / 100 || bytes / 1_000_000;
