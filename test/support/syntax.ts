import { parseSync } from 'vite';

/** A node of the ESTree of a file. */
export interface SyntaxNode {
  type: string;
  start: number;
  [member: string]: unknown;
}

/** Visits each node of a file; `visit` returns whether to visit the nodes within. */
export function visitNodes(
  file: string,
  source: string,
  visit: (node: SyntaxNode, parents: readonly SyntaxNode[]) => boolean,
): void {
  const walk = (node: SyntaxNode, parents: readonly SyntaxNode[]): void => {
    if (!visit(node, parents)) return;
    const within = [node, ...parents];
    for (const child of Object.values(node).flat()) if (isNode(child)) walk(child, within);
  };
  walk(parseSync(file, source).program as unknown as SyntaxNode, []);
}

const isNode = (value: unknown): value is SyntaxNode => typeof value === 'object' && value !== null && 'type' in value;

/** The texts of a template literal around its values. */
export function templateParts({ quasis }: SyntaxNode): string[] {
  return (quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
}
