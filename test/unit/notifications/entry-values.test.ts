import { expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { entryValues } from '../../../src/features/notifications/entry-values.ts';

const CV = { key: 'cv', label: 'CV', kind: 'file', types: ['pdf'], required: false } as unknown as FieldDefinition;
const fileOf = (name: string) => ({ id: 'a', name, type: 'pdf', size: 1_000, sha256: 'b' });

const AT = { key: 'at', label: 'At', kind: 'date', required: false } as FieldDefinition;
const shown = (cv: unknown) => entryValues({ email: 'ada@example.com', data: { cv } }, [CV])[1];

it('an email shows files by their names', () => {
  expect(shown([fileOf('cv.pdf'), fileOf('letter.pdf')])).toMatchObject({ name: 'CV', value: 'cv.pdf, letter.pdf' });
  expect(shown([])).toMatchObject({ value: '' });
});

it('an email shows values that are older than the kind of their field', () => {
  expect(shown('text')).toMatchObject({ value: 'text' });
  expect(shown(['text', 7])).toMatchObject({ value: 'text, 7' });
});

it('an email shows times as people read them, in its language and the time zone of the app', () => {
  const read = (at: unknown, to?: object) => entryValues({ email: '', data: { at } }, [AT], to)[1]?.value;
  const at = '2026-11-28T00:23:26.951Z';
  expect(read(at)).toBe('28 November 2026 at 00:23 (UTC)');
  expect(read(at, { tag: 'de', timeZone: 'Europe/Berlin' })).toBe('28. November 2026 um 01:23 (Europe/Berlin)');
  expect(read('2026-11-28')).toBe('2026-11-28');
  expect(read('soon')).toBe('soon');
});
