// The order of src/ (docs/architecture.md, "Folders"): which file may import which.
import { dirname } from 'node:path';
import { filesIn, importsOf, SOURCE, withProblem } from './repository.mjs';

/** From top to bottom. A file imports from its own layer and from lower ones only. */
const LAYERS = [
  ['server.ts', 'cli.ts', 'import-process.ts', 'worker-process.ts'],
  ['operations'],
  ['app.ts'],
  ['http', 'services.ts'],
  ['features'],
  ['core.ts'],
  ['core'],
  ['platform'],
];
const MOST_ROOMS = 14;

export function layers() {
  const sources = filesIn(['src'], SOURCE);
  const imports = sources.flatMap(importsOf).filter(({ to }) => to !== undefined);
  // Of several layers, only an import of a higher one closes a cycle.
  const ownLayer = imports.filter(({ file, to }) => layerOf(file) === layerOf(to));
  const values = ownLayer.filter(({ isType }) => !isType);
  const rooms = new Set(sources.map(roomOf).filter((room) => !room.endsWith('.ts')));
  return [
    ...withProblem(
      sources.map((file) => ({ file })),
      placeProblem,
    ),
    ...(rooms.size > MOST_ROOMS ? [{ file: 'src', problem: `has more than ${MOST_ROOMS} folders` }] : []),
    ...withProblem(imports, (one) => importProblem(one, sources)),
    ...shortestCycle(ownLayer, (file) => file),
    ...shortestCycle(values, folderOf),
    ...shortestCycle(values, roomOf),
  ];
}

function placeProblem({ file }) {
  if (layerOf(file) === -1) return 'belongs to no layer';
  return file.split('/').length > 5 ? 'is more than three folders deep' : undefined;
}

function importProblem({ file, to }, sources) {
  if (!to.startsWith('src/')) return `imports ${to}, which is not in src/`;
  if (!sources.includes(to)) return `imports ${to}, which does not exist`;
  return layerOf(to) < layerOf(file) ? `imports ${to}, which is in a higher layer` : undefined;
}

const layerOf = (file) => LAYERS.findIndex((layer) => layer.includes(file.split('/')[1]));

/** The folder of a file; a file of src/ itself represents itself. */
const folderOf = (file) => (dirname(file) === 'src' ? file : dirname(file));

/** The folder of src/ that contains a file; a file of src/ itself represents itself. */
const roomOf = (file) => folderOf(file).split('/').slice(0, 2).join('/');

/** An import that closes the shortest cycle of places. */
function shortestCycle(imports, placeOf) {
  const leaving = imports
    .map((one) => ({ ...one, place: placeOf(one.file), next: placeOf(one.to) }))
    .filter(({ file, place, next }) => place !== next || place === file);
  const targets = new Map();
  for (const { place, next } of leaving) targets.set(place, (targets.get(place) ?? new Set()).add(next));
  const cycles = leaving
    .map((one) => ({ ...one, way: wayBetween(one.next, one.place, targets) }))
    .filter(({ way }) => way !== undefined)
    .sort((one, other) => one.way.length - other.way.length);
  return withProblem(cycles.slice(0, 1), ({ to, way }) => `imports ${to}, which closes a cycle: ${way.join(' > ')}`);
}

function wayBetween(from, to, targets) {
  const ways = [[from]];
  const seen = new Set();
  for (const way of ways) {
    const last = way.at(-1);
    if (last === to) return way;
    for (const next of targets.get(last) ?? []) {
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}
