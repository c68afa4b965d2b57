import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import { schemaChanges } from '../../../web/src/schema-editor/changes.ts';

const text = (key: string, more: object = {}): FieldDefinition =>
  ({ key, label: key, kind: 'text', required: false, ...more }) as FieldDefinition;
const changes = (before: FieldDefinition[], after: FieldDefinition[], was?: ReadonlyMap<string, string>) =>
  schemaChanges({ rejectUnknown: false, fields: before }, { rejectUnknown: false, fields: after }, was).map(
    ({ weight, text }) => `${weight}: ${text}`,
  );

describe('the changes between two versions of a schema', () => {
  it.each<[string, FieldDefinition[], FieldDefinition[], string[]]>([
    ['nothing', [text('a')], [text('a')], []],
    ['a new field', [], [text('a')], ['allows: a is new (text)']],
    [
      'a new field that is required',
      [],
      [text('a', { required: true })],
      ['refuses: a is new (text) and required: submissions without it are refused'],
    ],
    [
      'a removed field',
      [text('a', { label: 'Name' })],
      [],
      ['refuses: “Name” (a) is removed: submissions may still send it, unchecked; stored values stay'],
    ],
    ['another label', [text('a')], [text('a', { label: 'A' })], ['allows: “A” (a) was labelled “a”']],
    ['newly required', [text('a')], [text('a', { required: true })], ['refuses: a is now required']],
    ['no longer required', [text('a', { required: true })], [text('a')], ['allows: a is no longer required']],
    [
      'another kind, whose options are not compared',
      [text('a', { maxLength: 3 })],
      [text('a', { kind: 'number', min: 1 })],
      ['refuses: a was of kind text and is now number'],
    ],
    ['a new bound', [text('a')], [text('a', { maxLength: 3 })], ['refuses: a has max length 3 (was without bound)']],
    [
      'bounds that are tighter and wider',
      [text('a', { kind: 'number', min: 1, max: 9 })],
      [text('a', { kind: 'number', min: 2, max: 10 })],
      ['refuses: a has min value 2 (was 1)', 'allows: a has max value 10 (was 9)'],
    ],
    ['a pattern', [text('a')], [text('a', { regex: '^x' })], ['refuses: a has pattern ^x (was none)']],
    [
      'values of a list',
      [text('a', { kind: 'select', enum: ['x', 'y'] })],
      [text('a', { kind: 'select', enum: ['y', 'z'] })],
      ['refuses: a no longer allows “x”', 'allows: a also allows “z”'],
    ],
    ['the order', [text('a'), text('b')], [text('b'), text('a')], ['allows: The fields are in another order']],
    [
      'no order, when one between was removed',
      [text('a'), text('b'), text('c')],
      [text('a'), text('c')],
      ['refuses: b is removed: submissions may still send it, unchecked; stored values stay'],
    ],
  ])('tells %s', (_name, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });

  it('tells a rename that was followed from a removal and an addition', () => {
    expect(changes([text('a')], [text('b')], new Map([['b', 'a']]))).toEqual([
      'refuses: b was called a: stored values stay under the former name',
    ]);
    expect(changes([text('a')], [text('b')])).toEqual([
      'refuses: a is removed: submissions may still send it, unchecked; stored values stay',
      'allows: b is new (text)',
    ]);
  });

  it('takes a field for new whose key another had before it was renamed', () => {
    expect(changes([text('a')], [text('b'), text('a')], new Map([['b', 'a']]))).toEqual([
      'refuses: b was called a: stored values stay under the former name',
      'allows: a is new (text)',
    ]);
  });

  it('tells what becomes of data that no field names', () => {
    const [refused] = schemaChanges({ rejectUnknown: false, fields: [] }, { rejectUnknown: true, fields: [] });
    expect(refused).toEqual({ weight: 'refuses', text: 'Data beside these fields is now refused' });
    const [kept] = schemaChanges({ rejectUnknown: true, fields: [] }, { rejectUnknown: false, fields: [] });
    expect(kept).toEqual({ weight: 'allows', text: 'Data beside these fields is now kept' });
  });
});
