import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/**
 * The layers of src/ from top to bottom (docs/architecture.md). A file imports from its own layer
 * and from lower ones only.
 */
const LAYERS = [
  ['server.ts', 'cli.ts', 'import-process.ts', 'worker-process.ts'],
  ['operations'],
  ['app.ts'],
  ['http', 'services.ts'],
  ['outbound'],
  ['operators', 'intake'],
  ['records'],
  ['access', 'schemas'],
  ['apps'],
  ['api'],
  ['fields'],
  ['platform'],
];

/** The modules of src/ that web/ may load at run time. From others it imports types only. */
const SHARED_WITH_WEB = [
  'src/fields',
  'src/platform/languages',
  'src/platform/core/errors.ts',
  'src/operators/imports/csv-cells.ts',
  'src/operators/imports/date-format.ts',
  'src/outbound/notifications/reply-text.ts',
];

interface Import {
  from: string;
  to: string;
  isType: boolean;
}

/** The imports of a file that refer to another file of the repository. */
function importsOf(file: string): Import[] {
  const source = readFileSync(join(root, file), 'utf8');
  const matches = [
    ...source.matchAll(/^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([.#][^']+)'|import\(\s*'([.#][^']+)'\)/gm),
  ];
  return matches.map(([, type, staticPath, dynamicPath]) => ({
    from: file,
    to: targetOf(file, staticPath ?? dynamicPath ?? ''),
    isType: type !== undefined,
  }));
}

/** `#src/x.ts` is src/x.ts (`imports` of package.json). */
const targetOf = (file: string, path: string): string =>
  path.startsWith('#') ? path.slice(1) : normalize(join(dirname(file), path));

function sourcesOf(folder: string, ending = /\.tsx?$/): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => ending.test(name) && !name.includes('node_modules') && statSync(join(root, name)).isFile());
}

const sources = sourcesOf('src');
const imports = sources.flatMap(importsOf);

function layerOf(file: string): number {
  const [first = ''] = relative('src', file).split('/');
  return LAYERS.findIndex((layer) => layer.includes(first));
}

const describeImport = ({ from, to }: Import) => `${from} imports ${to}`;

describe('the imports of src/', () => {
  it('refer to existing files, and every file belongs to a layer', () => {
    expect(imports.length).toBeGreaterThan(sources.length);
    expect(imports.filter(({ to }) => to.startsWith('src/') && !sources.includes(to)).map(describeImport)).toEqual([]);
    expect(sources.filter((file) => layerOf(file) === -1)).toEqual([]);
  });

  it('refer to the same or a lower layer', () => {
    const upward = imports.filter(({ from, to }) => layerOf(to) < layerOf(from));
    expect(upward.map(describeImport)).toEqual([]);
  });

  it('contain no cycle', () => {
    expect(findCycle()).toBeUndefined();
  });

  it('do not leave src/', () => {
    expect(imports.filter(({ to }) => !to.startsWith('src/')).map(describeImport)).toEqual([]);
  });
});

describe('the stored record', () => {
  const others = sources.filter((file) => !file.startsWith('src/records/'));
  const matching = (files: readonly string[], pattern: RegExp): string[] =>
    files.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));

  it('and its collection are typed in src/records/ only', () => {
    expect(matching(others, /\b(?:UserDocument|UserCollection|createUserModel)\b/)).toEqual([]);
    expect(matching(others, /\brecords\.users\b|\{[^}]*\busers\b[^}]*\} = records;/)).toEqual([]);
  });

  it('is in a collection that only src/records/ declares', () => {
    const declaration = /\bcollection: 'users'|[cC]ollection(?:<[^()]*>)?\(\s*'users'/;
    expect(matching(sources, declaration)).toEqual(['src/records/stored/record.ts']);
  });
});

describe('an export', () => {
  it('is named in another file', () => {
    const scripts = sourcesOf('scripts', /\.mjs$/);
    const readers = [...sources, ...sourcesOf('web'), ...sourcesOf('test', /\.m?tsx?$/), ...scripts];
    const contents = readers.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
    const naming = new Map<string, Set<string>>();
    for (const [file, content] of contents) {
      for (const name of content.match(/[\w$]+/g) ?? []) naming.set(name, (naming.get(name) ?? new Set()).add(file));
    }
    const exported = /^export (?:async )?(?:const|function\*?|class|interface|type) ([\w$]+)/gm;
    const unused = contents.flatMap(([file, content]) =>
      [...content.matchAll(exported)].flatMap(([, name = '']) =>
        naming.get(name)?.size === 1 ? [`${file} ${name}`] : [],
      ),
    );
    expect(unused).toEqual([]);
  });
});

describe('the imports of web/', () => {
  it('load only the shared modules of src/; others for their types', () => {
    const outside = sourcesOf('web/src')
      .flatMap(importsOf)
      .filter(({ to, isType }) => to.startsWith('src/') && !isType)
      .filter(({ to }) => !SHARED_WITH_WEB.some((allowed) => to.startsWith(allowed)));
    expect(outside.map(describeImport)).toEqual([]);
  });
});

describe('the JSON Schema of an app', () => {
  it('is made by the service: nothing that the dashboard loads imports it', () => {
    const importers = [...imports, ...sourcesOf('web').flatMap(importsOf)]
      .filter(({ to }) => to === 'src/fields/json-schema.ts')
      .map(({ from }) => dirname(from));
    expect([...new Set(importers)]).toEqual(['src/schemas']);
  });
});

describe('the folders of src/', () => {
  it('do not import values from each other, directly or by a way round', () => {
    expect(findCycleOf(folderOf)).toEqual([]);
  });

  it('are at most fourteen rooms, which do not import values from each other either', () => {
    const rooms = new Set(sources.filter((file) => dirname(file) !== 'src').map(roomOf));
    expect(rooms.size).toBeLessThanOrEqual(14);
    expect(findCycleOf(roomOf)).toEqual([]);
  });

  it('are at most two levels deep', () => {
    expect(sources.filter((file) => dirname(file).split('/').length > 3)).toEqual([]);
  });
});

/** Returns the files of one import cycle, or undefined. Type imports count too. */
function findCycle(): string[] | undefined {
  const visited = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (visited.has(file)) return undefined;
    for (const { to } of imports.filter(({ from }) => from === file)) {
      const result = visit(to, [...path, file]);
      if (result) return result;
    }
    visited.add(file);
    return undefined;
  };
  for (const file of sources) {
    const result = visit(file, []);
    if (result) return result;
  }
  return undefined;
}

/** The folder of a file; a file of src/ itself represents itself. */
const folderOf = (file: string): string => (dirname(file) === 'src' ? file : dirname(file));

/** The folder of src/ that contains a file; a file of src/ itself represents itself. */
const roomOf = (file: string): string => folderOf(file).split('/').slice(0, 2).join('/');

/** Returns the folders that import values of each other, also through other folders. */
function findCycleOf(placeOf: (file: string) => string): string[] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to, isType } of imports) {
    const [folder, other] = [placeOf(from), placeOf(to)];
    if (!isType && folder !== other && to.startsWith('src/'))
      targets.set(folder, (targets.get(folder) ?? new Set()).add(other));
  }
  const reaches = (folder: string, goal: string, seen = new Set<string>()): boolean =>
    [...(targets.get(folder) ?? [])].some((next) => {
      if (next === goal) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, goal, seen);
    });
  return [...targets.keys()].filter((folder) => reaches(folder, folder));
}
