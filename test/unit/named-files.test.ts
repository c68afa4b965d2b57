import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** The files and folders that a document names in backticks. Links are citations.test.ts's. */
function namedFiles(markdown: string): string[] {
  const names = [...markdown.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
  return names.filter((name) => /^(?:src|web|test|scripts|docs)\/|^[\w-]+(?:\/[\w.-]+)+\.(?:m?ts|tsx|mjs)$/.test(name));
}

describe('documents', () => {
  it('name only files and folders that exist, from the root or from src/', () => {
    expect(namedFiles('`src/a`, `b/c.ts`, `d.ts`, `GET /src/a`, `dist/x.js`')).toEqual(['src/a', 'b/c.ts']);
    const named = documents.flatMap((document) => namedFiles(read(document)).map((name) => ({ document, name })));
    expect(named.length).toBeGreaterThan(80);
    const exists = (name: string) => existsSync(join(root, name)) || existsSync(join(root, 'src', name));
    expect(named.filter(({ name }) => !exists(name))).toEqual([]);
  });

  it('docs/database.md lists every collection', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(join('src', name)));
    const declared = sources.flatMap((source) =>
      [...source.matchAll(/\bcollection: '([\w.]+)'|^const COLLECTION = '([\w.]+)'/gm)].map(
        ([, name, other]) => name ?? other ?? '',
      ),
    );
    const [, table = ''] = /^## Collections$(.*?)^## /ms.exec(read('docs/database.md')) ?? [];
    const listed = [...table.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name = '']) => name);
    expect(declared.length).toBeGreaterThan(15);
    expect(listed.sort()).toEqual(declared.sort());
  });
});
