// The table of collections in docs/database.md has each collection that src/ declares, and no
// other.
import { filesIn, matchesIn, SOURCE, unmatched, withProblem } from './repository.mjs';

const DOCUMENT = 'docs/database.md';
const DECLARATION = /\bcollection: '([\w.]+)'|^const COLLECTION = '([\w.]+)'/gm;
/** A row of the table under the heading. */
const ROW = /(?<=^## Collections$(?:(?!^## ).)*)^\| `([\w.]+)` \|/gms;

export function collections() {
  const declared = filesIn(['src'], SOURCE).flatMap((file) =>
    matchesIn(file, DECLARATION).map((found) => ({ ...found, name: found.match[1] ?? found.match[2] })),
  );
  const listed = matchesIn(DOCUMENT, ROW).map((row) => ({ ...row, name: row.match[1] }));
  return [
    ...withProblem(unmatched(declared, listed), ({ name }) => `declares ${name}, which ${DOCUMENT} does not list`),
    ...withProblem(unmatched(listed, declared), ({ name }) => `lists ${name}, which src/ does not declare`),
  ];
}
