/** A text, which a renderer escapes, or an element. */
export type MarkupNode = string | Markup;

/** The attributes of an element. `true` is an attribute without a value; unset ones are absent. */
export type MarkupAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element of a form. The service renders it as HTML and the embed script as DOM. */
export type Markup = readonly [tag: string, attributes: MarkupAttributes, ...children: MarkupNode[]];
