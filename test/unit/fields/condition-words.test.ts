import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../src/core/fields/conditions.ts';
import {
  completeDefinition,
  type FieldDefinition,
  type FieldDefinitionInput,
} from '../../../src/core/fields/definition.ts';
import { formControls } from '../../../src/features/display/presentation.ts';
import { languageOf, OWN_LANGUAGES } from '../../../src/platform/languages/languages.ts';

const FIELDS: FieldDefinition[] = (
  [
    { key: 'name', label: 'Name', kind: 'text' },
    { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'], enumLabels: { pro: 'Pro' } },
    { key: 'likes', label: 'Likes', kind: 'multiselect', enum: ['chess', 'piano'], enumLabels: { piano: 'Piano' } },
    { key: 'age', label: 'Age', kind: 'number' },
    { key: 'born', label: 'Born', kind: 'date' },
    { key: 'terms', label: 'Terms', kind: 'checkbox' },
    { key: 'visits', label: 'Visits', kind: 'array' },
  ] satisfies FieldDefinitionInput[]
).map(completeDefinition);

/** The words for a field that is shown under conditions. */
function words(list: Condition[], mode: 'all' | 'any' = 'all', tag = 'en'): string {
  const last = completeDefinition({ key: 'x', kind: 'text', showIf: { [mode]: list } });
  const controls = formControls([...FIELDS, last], tag, languageOf(tag).text);
  return controls.at(-1)?.when?.shown ?? '';
}

const CASES: [Condition, string][] = [
  [{ field: 'plan', op: 'eq', value: 'pro' }, 'Plan is Pro'],
  [{ field: 'plan', op: 'ne', value: 'free' }, 'Plan is not free'],
  [{ field: 'plan', op: 'in', value: ['free', 'pro'] }, 'Plan is free or Pro'],
  [{ field: 'name', op: 'contains', value: 'Ada' }, 'Name contains Ada'],
  [{ field: 'likes', op: 'contains', value: 'piano' }, 'Likes contains Piano'],
  [{ field: 'likes', op: 'in', value: ['chess', 'piano'] }, 'Likes contains chess or Piano'],
  [{ field: 'age', op: 'gt', value: 1200 }, 'Age is more than 1,200'],
  [{ field: 'age', op: 'gte', value: 18 }, 'Age is at least 18'],
  [{ field: 'age', op: 'lt', value: 18 }, 'Age is less than 18'],
  [{ field: 'age', op: 'lte', value: 18 }, 'Age is at most 18'],
  [{ field: 'born', op: 'eq', value: '2026-01-31' }, 'Born is 31 January 2026'],
  [{ field: 'born', op: 'gt', value: '2026-01-31' }, 'Born is after 31 January 2026'],
  [{ field: 'born', op: 'gte', value: '2026-01-31' }, 'Born is 31 January 2026 or later'],
  [{ field: 'born', op: 'lt', value: '2026-01-31' }, 'Born is before 31 January 2026'],
  [{ field: 'born', op: 'lte', value: '2026-01-31T08:00:00Z' }, 'Born is 2026-01-31T08:00:00Z or earlier'],
  [{ field: 'terms', op: 'eq', value: true }, 'Terms is ticked'],
  [{ field: 'terms', op: 'ne', value: true }, 'Terms is not ticked'],
  [{ field: 'terms', op: 'eq', value: false }, 'Terms is not ticked'],
  [{ field: 'terms', op: 'ne', value: false }, 'Terms is ticked'],
  [{ field: 'visits', op: 'exists' }, 'Visits is filled in'],
  [{ field: 'visits', op: 'exists', value: false }, 'Visits is not filled in'],
];

describe('the words of conditions', () => {
  it.each(CASES)('of %j', (condition, expected) => expect(words([condition])).toBe(`Only if ${expected}`));

  it('have the labels in every language of the service', () => {
    for (const tag of OWN_LANGUAGES) {
      const seen = new Set<string>();
      for (const [condition] of CASES) {
        const text = words([condition], 'all', tag);
        const field = FIELDS.find(({ key }) => key === condition.field);
        expect(text, tag).toContain(field?.label);
        if (condition.value === 'pro') expect(text, tag).toContain('Pro');
        expect(text, tag).not.toMatch(/[{}]/);
        if (tag !== 'en') expect(text, tag).not.toContain('Only if');
        seen.add(text);
      }
      // Two boxes have the same meaning twice.
      expect(seen.size, tag).toBe(CASES.length - 2);
    }
  });

  it('join several conditions', () => {
    const list = CASES.slice(0, 2).map(([condition]) => condition);
    expect(words(list)).toBe('Only if Plan is Pro and Plan is not free');
    expect(words(list, 'any')).toBe('Only if Plan is Pro or Plan is not free');
    expect(words(list, 'any', 'de')).toBe('Nur, wenn „Plan“ Pro ist oder „Plan“ nicht free ist');
  });
});
