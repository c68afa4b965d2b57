import type { MarkupNode } from '#src/features/display/markup.ts';

/** Builds the elements of a form. Needs no policy for markup, scripts or style attributes. */
export function toDom(nodes: readonly MarkupNode[]): (string | Element)[] {
  return nodes.map((node) => {
    if (typeof node === 'string') return node;
    const [tag, attributes, ...children] = node;
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : `${value}`);
    }
    element.append(...toDom(children));
    return element;
  });
}
