import { expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import { entryValues } from '../../../src/outbound/notifications/messages.ts';

const CV = { key: 'cv', label: 'CV', kind: 'file', types: ['pdf'], required: false } as unknown as FieldDefinition;
const fileOf = (name: string) => ({ id: 'a', name, type: 'pdf', size: 1_000, sha256: 'b' });

const shown = (cv: unknown) => entryValues({ email: 'ada@example.com', data: { cv } }, [CV])[1];

it('an email shows files by their names', () => {
  expect(shown([fileOf('cv.pdf'), fileOf('letter.pdf')])).toMatchObject({ name: 'CV', value: 'cv.pdf, letter.pdf' });
  expect(shown([])).toMatchObject({ value: '' });
});

it('an email shows values that are older than the kind of their field', () => {
  expect(shown('text')).toMatchObject({ value: 'text' });
  expect(shown(['text', 7])).toMatchObject({ value: 'text, 7' });
});
