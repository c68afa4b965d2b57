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
    ['spec 2.4', 1],
    ['spec 2.4: each item gets a timestamp', 1],
    ['Spec 8, 80 characters', 1],
    ['(spec 2.4, rule 3)', 1],
    ['spec 2.4, point 1', 1],
    ['spec 2.4, rules 1 and 3', 1],
    ['spec 2.4, points 1 to 3', 1],
    ['spec 2.4, rules 1, 2 and 3: all', 1],
    ['spec 2.4, rule 3, and 2.3', 2],
    ['spec 2.3, 2.4, rule 1, and section 8', 3],
    ['spec 2.3 and spec 8', 2],
    ['spec 2.3.1', 1],
    ['spec 2.4, rule 3, and 2.3.1', 2],
    ['docs/specification/things.md, section 2.4, rule 2', 2],
    ['docs/specification/things.md, sections 2.3 and 2.4', 3],
    [' * see docs/specification/limits.md,\n * section 8). And', 2],
    ['// spec\n  // 2.4, rule\n  // 2', 1],
    ['invariant 2', 1],
    ['invariants 1 and 2', 2],
    ['docs/architecture.md, invariant 1', 2],
    ['decision 12, ADR 4', 2],
    ['decisions 4 and 12', 2],
    ['docs/decisions/0012', 1],
    ['docs/decisions/0012-stamp.md', 1],
    ['docs/performance.md, "The\n * heap"', 1],
  ])('resolves %j', (text, count) => {
    expect(problems(text)).toEqual([]);
    expect(resolve(text)).toHaveLength(count);
  });

  it.each([
    ['spec 2.5', 'docs/specification has no section 2.5'],
    ['spec 3', 'docs/specification has no section 3'],
    ['spec 2.4, rule 4', 'section 2.4 of docs/specification has no rule 4'],
    ['spec 2.3, point 1', 'section 2.3 of docs/specification has no rule 1'],
    ['spec 2.4, rules 2 to 5', 'section 2.4 of docs/specification has no rule 4'],
    ['spec 2.3 and 2.6', 'docs/specification has no section 2.6'],
    ['spec 2.4, rule 1, and 9.9', 'docs/specification has no section 9.9'],
    ['spec 2.3.2', 'docs/specification has no section 2.3.2'],
    ['docs/specification/limits.md,\n * section 7', 'docs/specification has no section 7'],
    ['docs/specification/limits.md, section 2.3', 'section 2.3 is in docs/specification/things.md'],
    ['invariant 3', 'docs/architecture.md has no invariant 3'],
    ['invariants 2 and 9', 'docs/architecture.md has no invariant 9'],
    ['decision 5', 'docs/decisions has no decision 5'],
    ['docs/decisions/0099', 'docs/decisions has no decision 99'],
    ['docs/decisions/0004-other.md', 'docs/decisions/0004-other.md does not exist'],
    ['docs/none.md', 'docs/none.md does not exist'],
    ['docs/performance.md, "The cold"', 'docs/performance.md has no heading "The cold"'],
    ['docs/performance.md, "In code"', 'docs/performance.md has no heading "In code"'],
    ['(SPEC 2.4)', 'names a document that is not in the repository'],
    ['DESIGN, "Language"', 'names a document that is not in the repository'],
    ['../shared/SPEC.md', 'names a document that is not in the repository'],
  ])('reports the problem of %j', (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });

  it.each([
    'inspect 5',
    'spec.path',
    'a specification',
    'SPECIAL',
    'DESIGN_TOKENS',
    'section 99 of RFC 9110',
    'rule 7',
  ])('finds no citation in %j', (text) => expect(resolve(text)).toEqual([]));

  it('reports the line of a citation', () => {
    expect(findCitations('a.ts', '\n// x\n * spec 2.4\n').map(({ line }) => line)).toEqual([3]);
  });

  it('resolves "section" with a number inside the specification', () => {
    const text = 'As section 2.4, rule 2, and 2.3 say; sections 2.3 and 9.9; section 2.4, rule 9.';
    expect(problems(text, 'docs/specification/limits.md')).toEqual([
      'docs/specification has no section 9.9',
      'section 2.4 of docs/specification has no rule 9',
    ]);
  });

  it('resolves a link to a section only in the file of that section', () => {
    const text = '[section 2.4, rule 1](things.md#24-arrays), [2.3](things.md), [section 8](#8-limits)';
    expect(problems(text, 'docs/specification/limits.md')).toEqual([]);
    expect(problems('[section 8](specification/things.md) [2.9](specification/limits.md)', 'docs/a.md')).toEqual([
      'section 8 is in docs/specification/limits.md',
      'section 2.9 is in no file',
    ]);
  });

  it('resolves Markdown links relative to the file, and their anchors', () => {
    const links = [
      'performance.md',
      'performance.md#the-heap',
      './performance.md#twice-1',
      '../src/http/app.ts',
      '#twice',
    ];
    const text = [...links, 'performance.md#get-a_b-what--why', 'https://x.org/#y'].map((to) => `[a](${to})`).join(' ');
    expect(problems(text, 'docs/performance.md')).toEqual([]);
    expect(problems('[a](app.ts) [b](#the-cold) [c](performance.md#twice-2)', 'docs/performance.md')).toEqual([
      'docs/app.ts does not exist',
      'docs/performance.md has no heading "the-cold"',
      'docs/performance.md has no heading "twice-2"',
    ]);
  });
});

describe('the sections of the specification', () => {
  it('contain the rules below their headings, and below headings without a number', () => {
    const things = 'docs/specification/things.md';
    expect([...documents.sections]).toEqual([
      ['2', { file: things, rules: new Set() }],
      ['2.3', { file: things, rules: new Set() }],
      ['2.3.1', { file: things, rules: new Set() }],
      ['2.4', { file: things, rules: new Set([1, 2, 3]) }],
      ['8', { file: 'docs/specification/limits.md', rules: new Set() }],
    ]);
  });

  it.each(['## 1 A\n## 1 B\n', '## 1 A\n1. One.\n1. One again.\n', '## 1 A\n1. One.\n3. Three.\n'])(
    'are refused when numbers are duplicated or missing: %j',
    (markdown) => expect(() => numberedSections({ 'a.md': markdown })).toThrow(),
  );

  it('are refused when two files have the same number', () => {
    expect(() => numberedSections({ 'a.md': '## 1 A\n', 'b.md': '## 1 B\n' })).toThrow(
      'section 1 is in a.md and in b.md',
    );
  });

  it('have the numbers of the interface specification, and those of the additions', () => {
    const additions = [
      '2.6',
      '2.7',
      '2.8',
      '2.9',
      '2.10',
      '4.5',
      '4.6',
      '4.7',
      '4.8',
      '4.9',
      '4.10',
      '4.11',
      '4.12',
      '4.13',
      '5.4',
    ];
    const numbers = [...readDocuments(root).sections.keys()].filter((number) => !isPart(number));
    const expected = '1 2 2.1 2.2 2.3 2.4 2.5 3 4 4.1 4.2 4.3 4.4 5 5.1 5.2 5.3 6 7 8 9';
    const own = numbers.filter((number) => !additions.includes(number)).toSorted(inOrder);
    expect(own.join(' ')).toBe(expected);
  });

  it('are in their order in each file, and parts belong to a section', () => {
    const sections = [...readDocuments(root).sections];
    for (const file of new Set(sections.map(([, section]) => section.file))) {
      const numbers = sections.filter(([, section]) => section.file === file).map(([number]) => number);
      expect(numbers, file).toEqual(numbers.toSorted(inOrder));
    }
    const numbers = sections.map(([number]) => number);
    expect(numbers.filter((number) => isPart(number) && !numbers.includes(parentOf(number)))).toEqual([]);
  });

  it('describe every endpoint and parameter of the OpenAPI document', () => {
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
});

/** Whether a section is a part of another one, such as 4.3.1. */
const isPart = (number: string): boolean => number.split('.').length === 3;
const parentOf = (number: string): string => number.slice(0, number.lastIndexOf('.'));
const inOrder = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true });

interface OpenApi {
  paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
}

describe('the repository', () => {
  const real = readDocuments(root);
  const files = filesWithCitations(root).filter((file) => !EXCLUDED.includes(file));

  it('has eight invariants', () => {
    expect([...real.invariants]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('is searched completely', () => {
    for (const part of ['src/server.ts', 'README.md', 'docs/architecture.md', 'Dockerfile'])
      expect(files).toContain(part);
    for (const folder of ['web/src/', 'scripts/', 'docs/decisions/'])
      expect(files.some((file) => file.startsWith(folder))).toBe(true);
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
