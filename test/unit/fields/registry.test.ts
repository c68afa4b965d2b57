import { readdirSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { FieldKind } from '../../../src/core/fields/base/kind.ts';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { FIELD_KINDS } from '../../../src/core/fields/kinds/registry.ts';
import { KINDS } from '../../../web/src/schema-editor/draft/draft.ts';
import { fields as texts } from '../../../web/src/texts/en/fields.ts';
import { document } from '../../support/server/openapi.ts';

const names: string[] = FIELD_KINDS.map(({ name }) => name);
const BASE = ['key', 'label', 'kind', 'required', 'writers', 'showIf', 'requiredIf', 'keepHidden', 'page'];

/** The options of each kind by its name, as a component of the OpenAPI document declares them. */
function documented(component: string): Record<string, string[]> {
  const { oneOf } = document.components.schemas[component] as {
    oneOf: { properties: Record<string, { const?: string }> }[];
  };
  return Object.fromEntries(
    oneOf.map(({ properties }) => [
      properties.kind?.const,
      Object.keys(properties).filter((name) => !BASE.includes(name)),
    ]),
  );
}

/** The kinds that a folder has a file for. */
const filesIn = (folder: string, suffix: string): string[] =>
  readdirSync(new URL(folder, import.meta.url))
    .filter((file) => file !== 'registry.ts')
    .map((file) => file.replace(suffix, ''))
    .sort();

describe('the registry of field kinds', () => {
  it('lists each file of src/core/fields/kinds, and each has its test table', () => {
    expect(filesIn('../../../src/core/fields/kinds/', '.ts')).toEqual(names.toSorted());
    expect(filesIn('./kinds/', '.test.ts')).toEqual(names.toSorted());
  });

  it.each(['FieldDefinition', 'FieldDefinitionInput'])('agrees with %s of the OpenAPI document', (component) => {
    const options = FIELD_KINDS.map((kind) => [
      kind.name,
      [...Object.keys(kind.options), ...Object.keys(kind.formOptions)],
    ]);
    expect(documented(component)).toEqual(Object.fromEntries(options));
    expect(Object.keys(documented(component))).toEqual(names);
  });

  it('agrees with the schema editor', () => {
    expect(KINDS).toEqual(names);
    expect(Object.keys(texts.kinds).sort()).toEqual(names.toSorted());
  });

  it('has distinct names for people', () => {
    const { kinds, options: labels } = texts;
    expect(new Set(Object.values(kinds)).size).toBe(FIELD_KINDS.length);
    expect(new Set(Object.values(labels)).size).toBe(Object.keys(labels).length);
    for (const { options, formOptions } of FIELD_KINDS as readonly FieldKind[]) {
      for (const name of Object.keys(formOptions)) expect(Object.keys(options)).not.toContain(name);
    }
  });
});

describe('the type of a definition', () => {
  it('is exact for each kind', () => {
    type Of<Kind> = Extract<FieldDefinition, { kind: Kind }>;
    expectTypeOf<FieldDefinition['kind']>().toEqualTypeOf<
      'text' | 'checkbox' | 'select' | 'multiselect' | 'number' | 'date' | 'file' | 'array'
    >();
    expectTypeOf<Of<'select'>['enum']>().toEqualTypeOf<string[]>();
    expectTypeOf<Of<'text'>['maxLength']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Of<'text'>['ui']>().toEqualTypeOf<'textarea' | 'tel' | 'url' | 'email' | 'time' | undefined>();
    expectTypeOf<Of<'number'>['default']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<keyof Of<'array'>>().toEqualTypeOf<
      | ('key' | 'label' | 'kind' | 'required' | 'help' | 'placeholder' | 'autocomplete' | 'hidden' | 'prefill')
      | ('labels' | 'helps' | 'writers' | 'showIf' | 'requiredIf' | 'keepHidden' | 'page')
    >();
  });
});
