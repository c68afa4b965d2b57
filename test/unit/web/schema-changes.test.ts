import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { schemaChanges } from '../../../web/src/schema-editor/draft/changes.ts';
import { loadTexts } from '../../../web/src/texts/texts.ts';

await loadTexts();

const text = (key: string, more: object = {}): FieldDefinition =>
  ({ key, label: key, kind: 'text', required: false, ...more }) as FieldDefinition;
const changes = (before: FieldDefinition[], after: FieldDefinition[], originalKeys?: ReadonlyMap<string, string>) =>
  schemaChanges({ rejectUnknown: false, fields: before }, { rejectUnknown: false, fields: after }, originalKeys).map(
    ({ impact, text }) => `${impact}: ${text}`,
  );

describe('the changes between two versions of a schema', () => {
  it.each<[string, FieldDefinition[], FieldDefinition[], string[]]>([
    ['nothing', [text('a')], [text('a')], []],
    ['a new field', [], [text('a')], ['compatible: a added (Text)']],
    [
      'a new required field',
      [],
      [text('a', { required: true })],
      ['breaking: a added (Text, required): submissions without it are rejected'],
    ],
    [
      'a removed field',
      [text('a', { label: 'Name' })],
      [],
      ['breaking: “Name” (a) removed: submissions can still send it, but it is not validated; stored values are kept'],
    ],
    ['another label', [text('a')], [text('a', { label: 'A' })], ['compatible: “A” (a) label changed: “a” → “A”']],
    ['a field that became required', [text('a')], [text('a', { required: true })], ['breaking: a is now required']],
    [
      'a field that became optional',
      [text('a', { required: true })],
      [text('a')],
      ['compatible: a is no longer required'],
    ],
    [
      'a field that only the staff sets since',
      [text('a')],
      [text('a', { writers: 'staff' })],
      ['breaking: a can now be set by your team only: submissions that send it are rejected'],
    ],
    [
      'a field that everyone sets since',
      [text('a', { writers: 'staff' })],
      [text('a')],
      ['compatible: a can now be set by everyone'],
    ],
    ['a field that became indexed', [text('a')], [text('a', { indexed: true })], ['compatible: a is now indexed']],
    ['a field without its index', [text('a', { indexed: true })], [text('a')], ['compatible: a is no longer indexed']],
    [
      'another type without its options',
      [text('a', { maxLength: 3 })],
      [text('a', { kind: 'number', min: 1 })],
      ['breaking: a type changed: Text → Number'],
    ],
    ['a new limit', [text('a')], [text('a', { maxLength: 3 })], ['breaking: a max length changed: no limit → 3']],
    [
      'bounds of days, of which one may move',
      [text('a', { kind: 'date', earliest: '2026-01-31', latest: '2026-12-31' })],
      [text('a', { kind: 'date', earliest: '2026-01-30', latest: 'today' })],
      [
        'compatible: a earliest date changed: 2026-01-31 → 2026-01-30',
        'breaking: a latest date changed: 2026-12-31 → today',
      ],
    ],
    [
      'a later and an earlier bound of days',
      [text('a', { kind: 'date', earliest: '2026-01-31', latest: '2026-12-31' })],
      [text('a', { kind: 'date', earliest: '2026-02-01' })],
      [
        'breaking: a earliest date changed: 2026-01-31 → 2026-02-01',
        'compatible: a latest date changed: 2026-12-31 → no limit',
      ],
    ],
    [
      'stricter and wider limits',
      [text('a', { kind: 'number', min: 1, max: 9 })],
      [text('a', { kind: 'number', min: 2, max: 10 })],
      ['breaking: a min value changed: 1 → 2', 'compatible: a max value changed: 9 → 10'],
    ],
    ['a pattern', [text('a')], [text('a', { regex: '^x' })], ['breaking: a pattern changed: none → ^x']],
    [
      'the values of a single choice',
      [text('a', { kind: 'select', enum: ['x', 'y'] })],
      [text('a', { kind: 'select', enum: ['y', 'z'] })],
      ['breaking: a no longer allows “x”', 'compatible: a now also allows “z”'],
    ],
    [
      'form options with short values',
      [text('a', { placeholder: 'x', hidden: true })],
      [text('a', { ui: 'tel', placeholder: 'y', default: 'z' })],
      [
        'compatible: a form option “Placeholder” changed: “x” → “y”',
        'compatible: a form option “Control” changed: none → “Telephone number”',
        'compatible: a form option “Default value” changed: none → “z”',
        'compatible: a form option “Hidden” changed: yes → none',
      ],
    ],
    [
      'form options with other values',
      [text('a', { help: 'x'.repeat(99), kind: 'checkbox', consent: { version: '1' } })],
      [text('a', { kind: 'checkbox', consent: { version: '2' }, default: false })],
      [
        'compatible: a form option “Help text” changed',
        'compatible: a form option “Default value” changed: none → no',
        'compatible: a form option “Consent” changed',
      ],
    ],
    [
      'no form options that have the same effect',
      [text('a', { kind: 'select', enum: ['x', 'y'], enumLabels: { x: 'X', y: 'Y' }, help: '', hidden: false })],
      [text('a', { kind: 'select', enum: ['x', 'y'], enumLabels: { y: 'Y', x: 'X' } })],
      [],
    ],
    [
      'the labels of choices',
      [text('a', { kind: 'select', enum: ['x', 'y'], enumLabels: { x: 'X' } })],
      [text('a', { kind: 'select', enum: ['x', 'y'], enumLabels: { x: 'Z' } })],
      ['compatible: a form option “Labels of the choices” changed'],
    ],
    ['the order', [text('a'), text('b')], [text('b'), text('a')], ['compatible: Field order changed']],
    [
      'a removed field between others, without an order change',
      [text('a'), text('b'), text('c')],
      [text('a'), text('c')],
      ['breaking: b removed: submissions can still send it, but it is not validated; stored values are kept'],
    ],
  ])('include %s', (_name, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });

  it('distinguish a tracked rename from a removal and an addition', () => {
    expect(changes([text('a')], [text('b')], new Map([['b', 'a']]))).toEqual([
      'breaking: b key changed: a → b; stored values stay under the old key',
    ]);
    expect(changes([text('a')], [text('b')])).toEqual([
      'breaking: a removed: submissions can still send it, but it is not validated; stored values are kept',
      'compatible: b added (Text)',
    ]);
  });

  it('tell whether the values of a renamed field move', () => {
    const version = (key: string) => ({ rejectUnknown: false, fields: [text(key)] });
    const [change] = schemaChanges(version('a'), version('b'), new Map([['b', 'a']]), new Set(['b']));
    expect(change?.text).toBe('b key changed: a → b; stored values move to the new key');
  });

  it('treat a field as new that reuses the old key of a renamed field', () => {
    expect(changes([text('a')], [text('b'), text('a')], new Map([['b', 'a']]))).toEqual([
      'breaking: b key changed: a → b; stored values stay under the old key',
      'compatible: a added (Text)',
    ]);
  });

  it('include the handling of unknown fields', () => {
    const [rejected] = schemaChanges({ rejectUnknown: false, fields: [] }, { rejectUnknown: true, fields: [] });
    expect(rejected).toEqual({ impact: 'breaking', text: 'Unknown fields are now rejected' });
    const [accepted] = schemaChanges({ rejectUnknown: true, fields: [] }, { rejectUnknown: false, fields: [] });
    expect(accepted).toEqual({ impact: 'compatible', text: 'Unknown fields are now accepted and stored' });
  });
});
