import { expect, it } from 'vitest';
import type { FieldKind } from '../../../src/fields/base/kind.ts';
import { FIELD_KINDS, type KindName } from '../../../src/fields/kinds/registry.ts';
import { KIND_NAMES } from '../../../web/src/schema-editor/kind-names.ts';
import { kindHelp, optionHelp, optionLabel, valueName } from '../../../web/src/schema-editor/option-texts.ts';
import { schemaEditor } from '../../../web/src/texts/en/schema-editor.tsx';

const kinds: readonly FieldKind<KindName>[] = FIELD_KINDS;

it.each(kinds)('the dashboard has the texts of kind $name and of its options', (kind) => {
  expect(KIND_NAMES[kind.name]).toBe(kind.displayName);
  expect(kindHelp(kind.name)).toBe(kind.help);
  for (const [name, option] of Object.entries({ ...kind.options, ...kind.formOptions })) {
    expect(optionLabel(name)).toBe(option.label);
    expect(optionHelp(name)).toBe(option.help);
    for (const [value, text] of Object.entries(option.names ?? {})) expect(valueName(option, value)).toBe(text);
    if (option.stricter) expect(schemaEditor.changes.limits).toHaveProperty(name, option.label.toLowerCase());
  }
});

it('the dashboard shows other values of an option as they are', () => {
  expect(valueName({ names: { tel: 'Telephone number' } }, 'email')).toBe('email');
  expect(valueName({}, 'email')).toBe('email');
});
