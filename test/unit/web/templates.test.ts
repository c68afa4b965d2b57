import { describe, expect, it } from 'vitest';
import { definitionIssues, FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import { FormSettingsRequest } from '../../../src/features/form-settings/form-settings.ts';
import { TEMPLATES } from '../../../web/src/first-form/templates.ts';
import * as de from '../../../web/src/texts/de/templates.ts';
import * as en from '../../../web/src/texts/en/templates.ts';

/** The names of the texts of a template, in their order. */
function namesIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => namesIn(member, `${path}.${name}`));
}

describe('the templates', () => {
  it('are 24, and an empty one', () => {
    expect(TEMPLATES).toHaveLength(25);
    expect(new Set(TEMPLATES.map(({ id }) => id)).size).toBe(25);
  });

  it.each(TEMPLATES)(
    '$id has fields and settings that the service accepts, with a label for each field',
    (template) => {
      const fields = FieldDefinitionInput.array().parse(template.schema.fields);
      expect(definitionIssues(fields)).toEqual([]);
      FormSettingsRequest.parse(template.settings);
      for (const { key, label } of fields) expect(label, key).not.toBe(key);
    },
  );

  it('have the same texts in both languages', () => {
    expect(namesIn(de.templates)).toEqual(namesIn(en.templates));
    expect(namesIn(de.shared)).toEqual(namesIn(en.shared));
    expect(namesIn(de.purposes)).toEqual(namesIn(en.purposes));
  });

  it('name only fields, choices and ends that their form has', () => {
    for (const { id, schema } of TEMPLATES) {
      const texts: en.TemplateTexts = en.templates[id as en.TemplateId];
      const byKey = new Map(schema.fields.map((field) => [field.key, field]));
      for (const part of [texts.labels, texts.helps, texts.choices, texts.ends]) {
        for (const key of Object.keys(part ?? {})) expect(byKey.has(key), `${id}: ${key}`).toBe(true);
      }
      for (const [key, names] of Object.entries(texts.choices ?? {})) {
        expect(byKey.get(key), `${id}: ${key}`).toMatchObject({ enum: Object.keys(names) });
      }
      const pages = new Set([1, ...schema.fields.flatMap(({ page }) => page ?? [])]);
      if (texts.pages) expect(texts.pages).toHaveLength(pages.size);
    }
  });
});
