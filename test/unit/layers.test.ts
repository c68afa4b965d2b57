import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** The layers of src/ from top to bottom (docs/architecture.md): a file imports from its own layer and from lower ones. */
const LAYERS = [
  ['server.ts', 'cli.ts'],
  ['cli'],
  ['http', 'container.ts'],
  ['submissions'],
  ['users'],
  ['schemas'],
  ['sessions'],
  ['apps'],
  ['api'],
  ['fields'],
  ['database'],
  ['core'],
];

/** The only modules of src/ that web/ may load; of all others it takes types. */
const SHARED_WITH_WEB = ['src/fields', 'src/core/errors.ts'];

const MAX_FILES = 14;

interface Import {
  from: string;
  to: string;
  isType: boolean;
}

/** The imports of one file that lead to another file of the repository. */
function importsOf(file: string): Import[] {
  const source = readFileSync(join(root, file), 'utf8');
  const found = [
    ...source.matchAll(/^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\)/gm),
  ];
  return found.map(([, type, fixed, dynamic]) => ({
    from: file,
    to: normalize(join(dirname(file), fixed ?? dynamic ?? '')),
    isType: type !== undefined,
  }));
}

function sourcesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => /\.tsx?$/.test(name) && statSync(join(root, name)).isFile());
}

const sources = sourcesOf('src');
const imports = sources.flatMap(importsOf);

function layerOf(file: string): number {
  const [first = ''] = relative('src', file).split('/');
  return LAYERS.findIndex((layer) => layer.includes(first));
}

const describeImport = ({ from, to }: Import) => `${from} imports ${to}`;

describe('the imports of src/', () => {
  it('finds the imports of every file', () => {
    expect(imports.length).toBeGreaterThan(sources.length);
    expect(imports.filter(({ to }) => to.startsWith('src/') && !sources.includes(to)).map(describeImport)).toEqual([]);
    expect(sources.filter((file) => layerOf(file) === -1)).toEqual([]);
  });

  it('point down only', () => {
    const up = imports.filter(({ from, to }) => layerOf(to) < layerOf(from));
    expect(up.map(describeImport)).toEqual([]);
  });

  it('form no cycle', () => {
    expect(cycle()).toBeUndefined();
  });

  it('reach no other part of the repository', () => {
    expect(imports.filter(({ to }) => !to.startsWith('src/')).map(describeImport)).toEqual([]);
  });
});

describe('the imports of web/', () => {
  it('take types of the service, the rules of fields, and nothing else', () => {
    const outside = sourcesOf('web/src')
      .flatMap(importsOf)
      .filter(({ to, isType }) => to.startsWith('src/') && !isType)
      .filter(({ to }) => !SHARED_WITH_WEB.some((allowed) => to.startsWith(allowed)));
    expect(outside.map(describeImport)).toEqual([]);
  });
});

describe('the folders of src/', () => {
  it(`hold at most ${MAX_FILES} files each`, () => {
    const counts = new Map<string, number>();
    for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([]);
  });
});

/** The files of one import cycle, or undefined. Types count too: a cycle of types is a cycle for a reader. */
function cycle(): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { to } of imports.filter(({ from }) => from === file)) {
      const found = visit(to, [...path, file]);
      if (found) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of sources) {
    const found = visit(file, []);
    if (found) return found;
  }
  return undefined;
}
