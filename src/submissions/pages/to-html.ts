import { html } from 'ghtml';
import type { Markup, MarkupNode } from '../../fields/markup/markup.ts';

/** Elements without content and end tag. */
const VOID = new Set(['input']);

/** Returns the HTML of form elements. Texts and the values of attributes are escaped. */
export function toHtml(nodes: readonly MarkupNode[]): string {
  let text = '';
  for (const node of nodes) text += typeof node === 'string' ? html`${node}` : elementHtml(node);
  return text;
}

function elementHtml([tag, attributes, ...children]: Markup): string {
  const start = `<${tag}${attributesHtml(attributes)}>`;
  if (VOID.has(tag)) return start;
  // The HTML parser removes a line break that follows this tag.
  return `${start}${tag === 'textarea' ? '\n' : ''}${toHtml(children)}</${tag}>`;
}

function attributesHtml(attributes: Markup[1]): string {
  let text = '';
  for (const name in attributes) {
    const value = attributes[name];
    if (value === undefined || value === false) continue;
    text += value === true ? ` ${name}` : html` !${name}="${value}"`;
  }
  return text;
}
