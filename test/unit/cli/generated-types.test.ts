import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { FIELD_KINDS } from '../../../src/core/fields/kinds/registry.ts';
import type { AppSchema } from '../../../src/core/schemas/schemas.model.ts';
import { generateTypes } from '../../../src/operations/cli/generated-types.ts';

const CLIENT = join(import.meta.dirname, '..', '..', '..', 'web', 'client', 'index.ts');
const CASES = 250;

const HOSTILE = [
  '*/',
  '/*',
  '//',
  '*/ export const evil = 1; /*',
  '"',
  "'",
  '`',
  '{evil}',
  '\\',
  '\\"',
  '";evil();"',
  '};',
  '\n',
  '\r\n',
  '\u2028',
  '\u2029',
  '\u0085',
  '\0',
  '\u202E',
  '\u2066',
  '\uFEFF',
  '\uD800',
  '\uDC00',
  '\u{E0001}',
  '@deprecated',
  '@ts-ignore',
  '{@link evil}',
  '@type {import("fs")}',
  '<reference path="x"/>',
  '#!',
  '\\u002a/',
  '</script>',
  '__proto__',
  'constructor',
  '[key: string]: any',
  'ẞ',
  '名',
  '👩‍👩‍👧',
  ' ',
  '',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' })), { maxLength: 4 })
  .map((parts) => parts.join(''));

const base = {
  key: fc.oneof(fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,8}$/), hostile),
  label: hostile,
  required: fc.boolean(),
};
const field = fc.oneof(
  fc.record({ ...base, kind: fc.constantFrom('text', 'number', 'date', 'checkbox', 'array'), help: hostile }),
  fc.record({ ...base, kind: fc.constant('select'), enum: fc.array(hostile, { minLength: 1, maxLength: 5 }) }),
) as fc.Arbitrary<FieldDefinition>;
const schema: fc.Arbitrary<AppSchema> = fc.record({
  version: fc.integer({ min: 1, max: 1_000 }),
  rejectUnknown: fc.boolean(),
  fields: fc.uniqueArray(field, { selector: ({ key }) => key, maxLength: 8 }),
});

/** The child nodes of a node, without those of comments. */
function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  return children;
}

const kindsOf = (nodes: readonly Node[]): string[] => nodes.map(({ kind }) => SyntaxKind[kind]);
/** The value of a literal or of a name. `text` of a node has lost some characters. */
function writtenValue(source: string, node: Node): string {
  const written = source.slice(node.pos, node.end).replace(/^\s*(?:\/\*\*.*\*\/)?\s*/, '');
  return written.startsWith('"') ? JSON.parse(written) : written;
}

/** The values of a union of string literals, or of one. */
function literalsOf(source: string, type: Node): string[] {
  const types = SyntaxKind[type.kind] === 'UnionType' ? childrenOf(type) : [type];
  expect(new Set(kindsOf(types))).toEqual(new Set(['LiteralType']));
  return types.flatMap(childrenOf).map((one) => writtenValue(source, one));
}

/** All nodes of the comments of JSDoc in a tree: their tags, and their texts and links. */
function commentNodes(node: Node): Node[] {
  const own = ((node.jsDoc ?? []) as unknown as { tags?: readonly Node[]; comment?: readonly Node[] }[]).flatMap(
    ({ tags = [], comment = [] }) => [...tags, ...comment],
  );
  return [...own, ...childrenOf(node).flatMap(commentNodes)];
}

let folder: string;
let api: API;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'types-'));
});
afterAll(async () => {
  api?.close();
  await rm(folder, { recursive: true });
});

describe('generated types', () => {
  it('have the nodes of their fields and no others, whatever the schema and the app are called', {
    tags: 'long',
  }, async () => {
    const cases = fc.sample(fc.tuple(hostile, schema), CASES);
    await mkdir(folder, { recursive: true });
    const paths = { 'user-collection-service/client': [CLIENT] };
    const options = { strict: true, noEmit: true, types: [], module: 'esnext', moduleResolution: 'bundler', paths };
    const compilerOptions = { ...options, lib: ['es2022', 'dom', 'dom.iterable'], allowImportingTsExtensions: true };
    const config = join(folder, 'tsconfig.json');
    await writeFile(config, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    for (const [index, [app, one]] of cases.entries()) {
      await writeFile(join(folder, `case-${index}.ts`), generateTypes(app, one));
    }
    api = new API({});
    const program = api.updateSnapshot({ openProjects: [config] }).getProjects()[0]?.program;
    if (!program) throw new Error('no project');
    for (const [index, [app, one]] of cases.entries()) {
      const { fields, rejectUnknown } = one;
      const name = join(folder, `case-${index}.ts`);
      const file = program.getSourceFile(name);
      if (!file) throw new Error('no file');
      const source = generateTypes(app, one);
      expect(program.getSyntacticDiagnostics(name)).toEqual([]);
      expect(program.getSemanticDiagnostics(name).map(({ text }) => text)).toEqual([]);
      const statements = childrenOf(file);
      const expected = ['ImportDeclaration', 'InterfaceDeclaration', 'FunctionDeclaration', 'EndOfFile'];
      expect(kindsOf(statements)).toEqual(expected);

      const members = childrenOf(statements[1] as Node).slice(2);
      expect(kindsOf(members)).toEqual([
        ...fields.map(() => 'PropertySignature'),
        ...(rejectUnknown ? [] : ['IndexSignature']),
      ]);
      for (const [at, { key, required, ...options }] of fields.entries()) {
        const [nameNode, ...rest] = childrenOf(members[at] as Node);
        expect(writtenValue(source, nameNode as Node)).toBe(key);
        expect(kindsOf(rest).includes('QuestionToken')).toBe(!required);
        const type = rest.at(-1) as Node;
        if (options.kind === 'select') expect(literalsOf(source, type)).toEqual([...new Set(options.enum)]);
        else expect(rest.length).toBe(required ? 1 : 2);
      }
      expect(new Set(kindsOf(commentNodes(file)))).toEqual(new Set(['JSDocText']));
      // No reader is misled by what the file looks like.
      expect(source).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }
  });

  it('are the same bytes for the same schema, and name its version', () => {
    const fields = [
      { key: 'name', label: 'Your name', kind: 'text', required: true },
      { key: 'plan', label: 'Plan', kind: 'select', required: false, enum: ['free', 'pro', 'free'] },
      { key: 'terms', label: 'terms', kind: 'checkbox', required: true },
      { key: 'news', label: '', kind: 'checkbox', required: false },
      { key: 'age', label: 'age', kind: 'number', required: false },
      { key: 'born', label: 'born', kind: 'date', required: false },
      { key: 'notes', label: 'notes', kind: 'array', required: false },
      { key: 'days', label: 'days', kind: 'multiselect', required: false, enum: ['mon', 'tue'] },
    ] as FieldDefinition[];
    const source = generateTypes('contact', { version: 3, rejectUnknown: true, fields });
    expect(generateTypes('contact', { version: 3, rejectUnknown: true, fields })).toBe(source);
    expect(source).toContain('// App: contact. Version of the schema: 3.\n');
    expect(source).toContain(`export interface Data {
  /** Your name */
  name: string;
  /** Plan */
  plan?: "free" | "pro";
  terms: true;
  news?: boolean;
  age?: number;
  born?: string;
  notes?: readonly unknown[];
  days?: readonly ("mon" | "tue")[];
}
`);
  });

  it('leave out what depends on other values', () => {
    const conditions = { all: [{ field: 'name', op: 'exists' }] };
    const fields = [
      { key: 'name', label: '', kind: 'text', required: true },
      { key: 'terms', label: '', kind: 'checkbox', required: true, showIf: conditions },
      { key: 'note', label: '', kind: 'text', required: false, requiredIf: conditions },
    ] as FieldDefinition[];
    expect(generateTypes('contact', { version: 1, rejectUnknown: true, fields })).toContain(
      '  name: string;\n  terms?: true;\n  note?: string;\n}',
    );
  });

  it.each(FIELD_KINDS.map(({ name, valueType }) => ({ name, valueType })))(
    'know the type of a $name',
    ({ valueType }) => {
      expect(valueType).toBeTypeOf('function');
    },
  );
});
