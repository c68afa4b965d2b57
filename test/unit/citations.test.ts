import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type Documents,
  filesWithCitations,
  findCitations,
  numberedInvariants,
  numberedSections,
  problemOf,
  readDocuments,
  readSpecification,
  SPECIFICATION_FOLDER,
} from '../support/citations.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** These files contain citations that do not resolve, as test data. */
const EXCLUDED = ['test/unit/citations.test.ts', 'test/support/citations.ts'];

const FILES: Record<string, string> = {
  'docs/specification/things.md': `## 2 Things
### 2.3 Kinds
#### 2.3.1 Kinds of kinds
### 2.4 Arrays
1. One.
2. Two,
   as said above.
#### A heading without a number
3. Three.
`,
  'docs/specification/limits.md': '## 8 Limits\n',
  'docs/architecture.md': '# All\n1. No invariant.\n## Invariants\n1. One.\n2. Two.\n## The rest\n3. No invariant.\n',
  'docs/performance.md': '## The heap\n## Twice\n## Twice\n## `GET /a_b`: what & why\n```\n## In code\n```\n',
  'docs/decisions/0012-stamp.md': '',
  'src/http/app.ts': '',
};
const documents: Documents = {
  sections: numberedSections(specificationOf(FILES)),
  invariants: numberedInvariants(FILES['docs/architecture.md'] ?? ''),
  decisions: ['0004-leases.md', '0012-stamp.md'],
  exists: (file) => file in FILES,
  read: (file) => FILES[file] ?? '',
};

/** The files of the specification. */
function specificationOf(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([file]) => file.startsWith(SPECIFICATION_FOLDER)));
}

/** The citations of a text, each with its problem or undefined. */
const resolve = (text: string, file = 'src/a.ts'): [string, string | undefined][] =>
  findCitations(file, text).map((citation) => [citation.text, problemOf(citation, documents)]);
const problems = (text: string, file?: string): (string | undefined)[] =>
  resolve(text, file).flatMap(([, problem]) => problem ?? []);

describe('the citations of a file', () => {
  it.each([
    ['spec 2.4, rules 1 and 3', 1],
    ['spec 2.3, 2.4, rule 1, and section 8', 3],
    ['docs/specification/things.md, section 2.4, rule 2', 2],
    ['// spec\n  // 2.4, rule\n  // 2', 1],
    ['invariants 1 and 2', 2],
    ['decisions 4 and 12', 2],
    ['docs/decisions/0012-stamp.md', 1],
    ['docs/performance.md, "The\n * heap"', 1],
  ])('resolves %j', (text, count) => {
    expect(problems(text)).toEqual([]);
    expect(resolve(text)).toHaveLength(count);
  });

  it.each([
    ['spec 2.5', 'docs/specification has no section 2.5'],
    ['spec 2.3.2', 'docs/specification has no section 2.3.2'],
    ['spec 2.4, rules 2 to 5', 'section 2.4 of docs/specification has no rule 4'],
    ['spec 2.3 and 2.6', 'docs/specification has no section 2.6'],
    ['docs/specification/limits.md, section 2.3', 'section 2.3 is in docs/specification/things.md'],
    ['invariants 2 and 9', 'docs/architecture.md has no invariant 9'],
    ['decision 5', 'docs/decisions has no decision 5'],
    ['docs/decisions/0004-other.md', 'docs/decisions/0004-other.md does not exist'],
    ['docs/none.md', 'docs/none.md does not exist'],
    ['docs/performance.md, "The cold"', 'docs/performance.md has no heading "The cold"'],
    ['../shared/SPEC.md', 'names a document that is not in the repository'],
  ])('reports the problem of %j', (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });

  it('resolves sections inside the specification, and links with their anchors', () => {
    const text = 'As section 2.4, rule 9 says; [section 8](#8-limits) [2.4](limits.md) [a](things.md#none)';
    expect(problems(text, 'docs/specification/limits.md')).toEqual([
      'section 2.4 of docs/specification has no rule 9',
      'section 2.4 is in docs/specification/things.md',
      'docs/specification/things.md has no heading "none"',
    ]);
    expect(problems('[b](performance.md#twice-1) [c](performance.md#twice-2)', 'docs/a.md')).toEqual([
      'docs/performance.md has no heading "twice-2"',
    ]);
  });
});

it.each(['## 1 A\n## 1 B\n', '## 1 A\n1. One.\n1. One again.\n', '## 1 A\n1. One.\n3. Three.\n'])(
  'sections with duplicated or missing numbers are refused: %j',
  (markdown) => expect(() => numberedSections({ 'a.md': markdown })).toThrow(),
);

interface OpenApi {
  paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
}

describe('the repository', () => {
  const real = readDocuments(root);
  const files = filesWithCitations(root).filter((file) => !EXCLUDED.includes(file));

  it('has eight invariants', () => {
    expect([...real.invariants]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('describes every endpoint and parameter of the OpenAPI document in its specification', () => {
    const text = Object.values(readSpecification(root)).join('\n');
    const { paths } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as OpenApi;
    const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(endpoints.filter((endpoint) => text.split(`\n### ${endpoint}\n`).length !== 2)).toEqual([]);
    const names = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters.filter((parameter) => parameter.in !== 'path'))
      .map(({ name }) => name);
    const lowerCase = text.toLowerCase();
    expect(names.filter((name) => !lowerCase.includes(`\`${name.toLowerCase()}\``))).toEqual([]);
  });

  it('contains only citations that resolve', () => {
    const broken = files.flatMap((file) =>
      findCitations(file, readFileSync(join(root, file), 'utf8')).flatMap((citation) => {
        const problem = problemOf(citation, real);
        return problem === undefined ? [] : [`${file}:${citation.line} "${citation.text}": ${problem}`];
      }),
    );
    expect(broken).toEqual([]);
  });
});
