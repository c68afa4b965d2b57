// The syntax of TypeScript sources.
import { parseSync } from 'vite';
import { read } from './repository.mjs';

/** Visits each node of the ESTree of a file; `visit` returns whether to visit the nodes within. */
export function visitNodes(file, visit) {
  const walk = (node, parents) => {
    if (!visit(node, parents)) return;
    const within = [node, ...parents];
    for (const child of Object.values(node).flat()) if (child?.type !== undefined) walk(child, within);
  };
  walk(parseSync(file, read(file)).program, []);
}

/** The texts of a template literal around its values. */
export const templateParts = ({ quasis }) => quasis.map(({ value }) => value.cooked);
