import { html } from 'ghtml';
import type { Markup, MarkupNode } from '../../fields/markup/markup.ts';

/** Elements without content and end tag. */
const VOID = new Set(['input']);

/** Returns the HTML of form elements. Texts and the values of attributes are escaped. */
export function toHtml(nodes: readonly MarkupNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? html`${node}` : elementHtml(node))).join('');
}

function elementHtml([tag, attributes, ...children]: Markup): string {
  const start = `<${tag}${attributesHtml(attributes)}>`;
  if (VOID.has(tag)) return start;
  // The HTML parser removes a line break that follows this tag.
  return `${start}${tag === 'textarea' ? '\n' : ''}${toHtml(children)}</${tag}>`;
}

function attributesHtml(attributes: Markup[1]): string {
  const set = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== false);
  return set.map(([name, value]) => (value === true ? ` ${name}` : html` !${name}="${value}"`)).join('');
}
