import { createElement, Fragment, type ReactNode } from 'react';
import type { MarkupNode } from '#src/features/display/markup.ts';

/** Shows the nodes of a text with signs. */
export function Marked({ nodes }: { nodes: readonly MarkupNode[] }) {
  return createElement(Fragment, null, ...nodes.map(shown));
}

function shown(node: MarkupNode): ReactNode {
  if (typeof node === 'string') return node;
  const [tag, attributes, ...children] = node;
  return createElement(tag, attributes, ...children.map(shown));
}
