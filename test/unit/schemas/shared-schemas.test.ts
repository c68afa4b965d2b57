import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { createSharedSchemas } from '../../../src/core/schemas/shared-schemas.ts';

const text = { key: 'a', label: 'A', kind: 'text', required: false } as const satisfies FieldDefinition;

describe('shared schemas', () => {
  it('are those of fields with equal rules, whatever their keys, labels and forms', () => {
    const schemaOf = createSharedSchemas();
    const other = { key: 'b', label: 'B', help: 'h', ui: 'textarea', default: 'x' } as const;
    expect(schemaOf({ ...text, ...other })).toBe(schemaOf(text));
    expect(schemaOf({ ...text, minLength: undefined })).toBe(schemaOf(text));
    const choices = { ...text, kind: 'select', enum: ['a', 'b'] } as const;
    expect(schemaOf({ ...choices, enum: ['a', 'b'] })).toBe(schemaOf({ ...choices, enum: ['a', 'b'] }));
  });

  it('differ for each rule', () => {
    const schemaOf = createSharedSchemas();
    const fields: FieldDefinition[] = [
      text,
      { ...text, required: true },
      { ...text, minLength: 1 },
      { ...text, maxLength: 1 },
      { ...text, regex: '1' },
      { ...text, kind: 'date' },
      { ...text, kind: 'array' },
      { ...text, kind: 'checkbox' },
      { ...text, kind: 'number' },
      { ...text, kind: 'number', min: 1 },
      { ...text, kind: 'number', max: 1 },
      { ...text, kind: 'select', enum: ['a', 'b'] },
      { ...text, kind: 'select', enum: ['a,b'] },
      { ...text, kind: 'multiselect', enum: ['a', 'b'] },
      { ...text, kind: 'multiselect', enum: ['a', 'b'], minItems: 1 },
      { ...text, kind: 'multiselect', enum: ['a', 'b'], maxItems: 1 },
    ];
    expect(new Set(fields.map(schemaOf)).size).toBe(fields.length);
  });

  it('are bounded by the size of the rules', () => {
    const schemaOf = createSharedSchemas();
    const first = schemaOf(text);
    const long = (index: number): FieldDefinition => ({
      ...text,
      kind: 'select',
      enum: [`${index}`, 'x'.repeat(90_000)],
    });
    for (let index = 0; index < 100; index += 1) schemaOf(long(index));
    expect(schemaOf(text)).not.toBe(first);
    expect(schemaOf(text).safeParse('a').success).toBe(true);
  });
});
