import type { MarkupNode } from '../../../../src/features/display/markup.ts';

/** Escapes a text for HTML content and for attribute values in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** A start tag. `true` is an attribute without a value; unset attributes are left out. */
export function startTag(name: string, attributes: Readonly<Record<string, string | number | boolean | undefined>>) {
  const set = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== false);
  const printed = set.map(([key, value]) => (value === true ? ` ${key}` : ` ${key}="${escapeHtml(String(value))}"`));
  return `<${name}${printed.join('')}>`;
}

/** The HTML of texts and elements, such as those of a text with signs. */
export function nodesHtml(nodes: readonly MarkupNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return escapeHtml(node);
      const [tag, attributes, ...children] = node;
      return `${startTag(tag, attributes)}${nodesHtml(children)}</${tag}>`;
    })
    .join('');
}

/** A JavaScript literal without `</script>` and the line separators that old parsers refuse. */
export function scriptLiteral(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** Quotes a text for a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
