import type { FieldDefinition } from './definition.ts';
import type { ConvertedText, TextContext } from './kind.ts';
import { kindOf } from './kinds/registry.ts';

/**
 * Converts the texts that a form sent for one field to its value (docs/specification.md, section
 * 2.6). In an appending list each text is one item; for other kinds the last text counts.
 *
 * Returns undefined when the field counts as absent, because its text is empty, and `problem` when
 * the text has no value of the kind. A value is not validated: `compileSchema` does that.
 */
export function valueFromForm(
  field: Pick<FieldDefinition, 'kind'>,
  texts: readonly string[],
  context: TextContext = {},
): ConvertedText | undefined {
  const kind = kindOf(field.kind);
  const convert = (text: string): ConvertedText | undefined => {
    const content = kind.trimsText ? text.trim() : text;
    return content === '' ? undefined : kind.fromText(content, context);
  };
  if (!kind.appendedItems) return convert(texts.at(-1) ?? '');

  const items = texts.flatMap((text) => convert(text) ?? []);
  if (items.length === 0) return undefined;
  return (
    items.find((item) => 'problem' in item) ?? { value: items.flatMap((item) => ('value' in item ? [item.value] : [])) }
  );
}
