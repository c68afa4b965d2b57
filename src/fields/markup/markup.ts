/** A text, which a renderer escapes, or an element. */
export type MarkupNode = string | Markup;

/**
 * The attributes of an element. `true` is an attribute without a value; unset ones are left out.
 */
export type MarkupAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * An element of a form: tag, attributes, children. The service renders it as HTML and the embed
 * script as DOM, so both show the same form.
 */
export type Markup = readonly [tag: string, attributes: MarkupAttributes, ...children: MarkupNode[]];

/** Returns the nodes without those that a condition left out. */
export function present<One>(nodes: readonly (One | undefined | false | '')[]): One[] {
  return nodes.filter((node): node is One => Boolean(node));
}
