import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { schemaChanges } from '../../../web/src/schema-editor/draft/changes.ts';
import { checkDraft } from '../../../web/src/schema-editor/draft/checked-draft.ts';
import {
  addField,
  changeField,
  type Draft,
  draftOf,
  duplicateField,
  KINDS,
  removeField,
  withDefinitions,
} from '../../../web/src/schema-editor/draft/draft.ts';
import { chooseData, keyInVersion, renamesOf } from '../../../web/src/schema-editor/draft/field-renames.ts';
import { beginPage, joinPage, moveBy, moveTo, pagesIn } from '../../../web/src/schema-editor/draft/pages.ts';
import { PALETTE } from '../../../web/src/schema-editor/draft/palette.ts';
import { loadTexts } from '../../../web/src/texts/texts.ts';
import { UNMEASURABLE } from '../../security/arbitraries.ts';

await loadTexts();

const draft = (...keys: string[]): Draft =>
  draftOf({ rejectUnknown: false, fields: keys.map((key) => ({ key, label: key, kind: 'text', required: false })) });
const TEXT = { kind: 'text', label: 'Text' } as const;
const paged = (pages: Record<string, number>): Draft =>
  draftOf({
    rejectUnknown: false,
    fields: Object.entries(pages).map(([key, page]) => ({ key, label: key, kind: 'text', required: false, page })),
  });
const pagesOfKeys = (of: Draft) =>
  Object.fromEntries(of.fields.map(({ id, definition }) => [definition.key, pagesIn(of).get(id)]));
const keys = ({ fields }: Draft) => fields.map(({ definition }) => definition.key);
const idOf = ({ fields }: Draft, key: string) => fields.find(({ definition }) => definition.key === key)?.id ?? -1;

describe('a schema draft', () => {
  it.each(PALETTE.flatMap(({ fields }) => fields))('adds a valid field: $label', (field) => {
    const added = addField(draft(), field);
    const { problems, definitions } = checkDraft(added);
    // A person names the choices.
    if (added.fields[0]?.definition.enum) {
      expect([...problems]).toEqual([[1, { enum: expect.any(String) }]]);
      expect(added.fields[0].definition.enum).toEqual([]);
    } else {
      expect([...problems]).toEqual([]);
      expect(definitions).toMatchObject([{ kind: field.kind, label: field.label }]);
    }
  });

  it('offers a field of each kind', () => {
    const offered = PALETTE.flatMap(({ fields }) => fields.map(({ kind }) => kind));
    expect(new Set(offered)).toEqual(new Set(KINDS));
  });

  it('gives new fields unique keys', () => {
    const three = addField(addField(addField(draft('text'), TEXT), TEXT), TEXT);
    expect(keys(three)).toEqual(['text', 'text2', 'text3', 'text4']);
  });

  it.each([
    ['Your e-mail (work)', 'yourEMailWork'],
    ['Größe', 'groE'],
    ['2nd choice', 'ndChoice'],
    ['日本', 'field'],
    ['x'.repeat(80), 'x'.repeat(48)],
  ])('derives a key from the label %j', (label, key) => {
    const added = addField(draft(), TEXT);
    expect(keys(changeField(added, idOf(added, 'text'), { label }))).toEqual([key]);
  });

  it('keeps keys that were edited or are stored', () => {
    const added = addField(draft('stored'), TEXT);
    const id = idOf(added, 'text');
    const edited = changeField(changeField(added, id, { key: 'mine' }), id, { label: 'Other' });
    expect(keys(changeField(edited, idOf(edited, 'stored'), { label: 'Else' }))).toEqual(['stored', 'mine']);
  });

  it('adds a field after another one, and on its page', () => {
    const two = paged({ a: 1, b: 2 });
    const added = addField(two, TEXT, idOf(two, 'a'));
    expect(pagesOfKeys(added)).toEqual({ a: 1, text: 1, b: 2 });
  });

  it('moves fields only within the list', () => {
    const three = draft('a', 'b', 'c');
    expect(keys(moveBy(three, idOf(three, 'c'), -1))).toEqual(['a', 'c', 'b']);
    expect(keys(moveBy(three, idOf(three, 'a'), -1))).toEqual(['a', 'b', 'c']);
    expect(keys(moveBy(three, idOf(three, 'c'), 1))).toEqual(['a', 'b', 'c']);
    expect(keys(moveTo(three, idOf(three, 'c'), 0, 1))).toEqual(['c', 'a', 'b']);
  });

  describe('with pages', () => {
    const three = paged({ a: 1, b: 2, c: 2, d: 3 });

    it('moves a field over the beginning of a page before it moves over another field', () => {
      const onFirst = moveBy(three, idOf(three, 'b'), -1);
      expect(pagesOfKeys(onFirst)).toEqual({ a: 1, b: 1, c: 2, d: 3 });
      expect(keys(moveBy(onFirst, idOf(three, 'b'), -1))).toEqual(['b', 'a', 'c', 'd']);
      expect(pagesOfKeys(moveBy(three, idOf(three, 'a'), 1))).toEqual({ a: 2, b: 2, c: 2, d: 3 });
    });

    it('keeps the others on their pages when the first field of a page goes', () => {
      expect(pagesOfKeys(removeField(three, idOf(three, 'b')))).toEqual({ a: 1, c: 2, d: 3 });
      expect(pagesOfKeys(moveTo(three, idOf(three, 'b'), 3, 3))).toEqual({ a: 1, c: 2, d: 3, b: 3 });
      expect(pagesOfKeys(duplicateField(three, idOf(three, 'b')))).toEqual({ a: 1, b: 2, b2: 2, c: 2, d: 3 });
    });

    it('begins a page with a field, and joins two', () => {
      const more = beginPage(three, idOf(three, 'c'));
      expect(pagesOfKeys(more)).toEqual({ a: 1, b: 2, c: 3, d: 4 });
      expect(pagesOfKeys(joinPage(more, idOf(three, 'c'), 1))).toEqual(pagesOfKeys(three));
      const apart = paged({ a: 1, b: 5, c: 7 });
      expect(pagesOfKeys(joinPage(apart, idOf(apart, 'b'), 4))).toEqual({ a: 1, b: 1, c: 3 });
      const full = paged({ a: 1, b: 20 });
      expect(beginPage(full, idOf(full, 'a'))).toBe(full);
    });

    it('names a page only where it begins, and none of a field of the team', () => {
      const ofTeam = changeField(three, idOf(three, 'c'), { writers: 'staff' });
      const moved = moveBy(ofTeam, idOf(three, 'c'), -1);
      expect(moved.fields.map(({ definition }) => definition.page)).toEqual([undefined, undefined, 2, 3]);
      expect(keys(moved)).toEqual(['a', 'c', 'b', 'd']);
    });

    it('tells of no change where a page begins with another field', () => {
      const { schema } = checkDraft(three);
      const { schema: after } = checkDraft(removeField(three, idOf(three, 'b')));
      expect(schemaChanges(schema, after).map(({ text }) => text)).toEqual([expect.stringContaining('removed')]);
      const { schema: moved } = checkDraft(moveBy(three, idOf(three, 'b'), -1));
      expect(schemaChanges(schema, moved).map(({ text }) => text)).toEqual([expect.stringContaining('b: its page')]);
    });
  });

  it('inserts a copy after its original, with its own key and id', () => {
    const two = draft('a', 'b');
    const copied = duplicateField(two, idOf(two, 'a'));
    expect(keys(copied)).toEqual(['a', 'a2', 'b']);
    expect(new Set(copied.fields.map(({ id }) => id)).size).toBe(3);
    expect(copied.fields[1]?.originalKey).toBeUndefined();
  });

  it('reports an object that has a length where a text belongs, as in pasted JSON', () => {
    const before = draft('a');
    const id = idOf(before, 'a');
    const pasted = changeField(before, id, { help: UNMEASURABLE });
    expect(checkDraft(pasted).problems.get(id)).toHaveProperty('help');
    expect(checkDraft(changeField(pasted, id, { kind: 'number' })).problems.size).toBe(0);
  });

  it('sends only the options of the kind of a field', () => {
    const added = addField(draft(), TEXT);
    const id = idOf(added, 'text');
    const changed = changeField(changeField(added, id, { maxLength: 3, regex: '' }), id, { kind: 'number', min: 1 });
    expect(checkDraft(changed).definitions).toEqual([
      { key: 'text', label: 'Text', kind: 'number', required: false, min: 1 },
    ]);
    expect(checkDraft(changeField(changed, id, { kind: 'text' })).definitions).toMatchObject([{ maxLength: 3 }]);
  });

  it('leaves out what a field of the staff cannot have, and brings it back', () => {
    const options = { required: true, prefill: true, source: 'page', default: 'x', hidden: true } as const;
    const field: FieldDefinition = { key: 'a', label: 'a', kind: 'text', ...options };
    const ofEveryone = draftOf({ rejectUnknown: false, fields: [field] });
    const ofStaff = changeField(ofEveryone, 0, { writers: 'staff' });
    const { problems, definitions } = checkDraft(ofStaff);
    expect([...problems]).toEqual([]);
    const kept = { required: false, default: 'x', hidden: true, writers: 'staff' };
    expect(definitions).toEqual([{ key: 'a', label: 'a', kind: 'text', ...kept }]);
    expect(checkDraft(changeField(ofStaff, 0, { writers: undefined })).definitions).toEqual([field]);
  });

  describe('with form options', () => {
    const fields: FieldDefinition[] = [
      {
        key: 'name',
        label: 'Name',
        kind: 'text',
        required: true,
        help: 'In full',
        placeholder: 'Ada',
        ui: 'textarea',
        default: 'x',
        hidden: true,
        prefill: true,
        source: 'page',
        autocomplete: 'name',
      },
      {
        key: 'plan',
        label: 'Plan',
        kind: 'select',
        required: false,
        enum: ['a', 'b'],
        ui: 'radio',
        enumLabels: { b: 'B', a: 'A' },
        default: 'b',
      },
      {
        key: 'ok',
        label: 'OK',
        kind: 'checkbox',
        required: false,
        default: false,
        hidden: false,
        consent: { version: '1', url: 'https://example.com/' },
      },
      { key: 'age', label: 'Age', kind: 'number', required: false, default: 0, help: '' },
    ];
    const schema = { rejectUnknown: false, fields };

    it('keeps them', () => {
      const unchanged = checkDraft(draftOf(schema));
      expect([...unchanged.problems]).toEqual([]);
      expect(unchanged.definitions).toEqual(fields.map(({ help, ...rest }) => (help ? { ...rest, help } : rest)));
      expect(schemaChanges(schema, unchanged.schema)).toEqual([]);
    });

    it('leaves out those that another kind does not have or that mean something else there', () => {
      const draft = draftOf(schema);
      const text = checkDraft(changeField(draft, idOf(draft, 'plan'), { kind: 'text' })).definitions[1];
      expect(text).toEqual({ key: 'plan', label: 'Plan', kind: 'text', required: false, default: 'b' });
      const number = checkDraft(changeField(draft, idOf(draft, 'plan'), { kind: 'number' })).definitions[1];
      expect(number).toEqual({ key: 'plan', label: 'Plan', kind: 'number', required: false });
      const list = changeField(draft, idOf(draft, 'ok'), { kind: 'array' });
      expect(checkDraft(list).definitions[2]).toEqual({
        key: 'ok',
        label: 'OK',
        kind: 'array',
        required: false,
        hidden: false,
      });
    });

    it('leaves out the labels of choices that were removed, and brings them back with the choices', () => {
      const draft = draftOf(schema);
      const removed = changeField(draft, idOf(draft, 'plan'), { enum: ['b', 'c'] });
      expect(checkDraft(removed).definitions[1]).toMatchObject({ enum: ['b', 'c'], enumLabels: { b: 'B' } });
      const back = changeField(removed, idOf(draft, 'plan'), { enum: ['b', 'a'] });
      expect(checkDraft(back).definitions[1]).toMatchObject({ enumLabels: { a: 'A', b: 'B' } });
      const none = checkDraft(changeField(removed, idOf(draft, 'plan'), { enum: ['c'], default: undefined }));
      expect(none.definitions[1]).toEqual({
        key: 'plan',
        label: 'Plan',
        kind: 'select',
        required: false,
        enum: ['c'],
        ui: 'radio',
      });
    });

    it('reports their problems by option', () => {
      const draft = draftOf(schema);
      const invalid = changeField(draft, idOf(draft, 'ok'), { consent: { version: '' }, help: 'x'.repeat(501) });
      expect(Object.keys(checkDraft(invalid).problems.get(idOf(draft, 'ok')) ?? {}).sort()).toEqual([
        'consent',
        'help',
      ]);
    });
  });

  it('matches fields by key when it is edited as JSON', () => {
    const two = draft('a', 'b');
    const next = withDefinitions(two, {
      rejectUnknown: true,
      fields: [
        { key: 'b', label: 'B', kind: 'text', required: false },
        { key: 'c', label: 'C', kind: 'date', required: false },
      ],
    });
    expect(next.fields.map(({ originalKey }) => originalKey)).toEqual(['b', undefined]);
    expect(next.fields[0]?.id).toBe(idOf(two, 'b'));
    expect(next.rejectUnknown).toBe(true);
  });

  it('takes over an earlier version whose fields were renamed since as renames back', () => {
    const now = draft('fullName', 'plan');
    const fields = draft('name', 'plan').fields.map(({ definition }) => definition) as never;
    const versions = [
      { version: 4, renames: [{ from: 'full', to: 'fullName' }] },
      { version: 3 },
      { version: 2, renames: [{ from: 'name', to: 'full' }] },
    ];
    const restored = withDefinitions(now, { rejectUnknown: false, fields }, keyInVersion(versions, 1, 4));
    expect(keys(restored)).toEqual(['name', 'plan']);
    expect(renamesOf({ fields: now.fields.map(({ definition }) => definition) as never }, restored)).toEqual([
      { id: 0, from: 'fullName', to: 'name', keepsData: true },
    ]);
    expect(keyInVersion(versions, 2, 4)('name')).toBe('name');
  });

  it('keeps the data of renamed fields unless another field has the key, or the type changed', () => {
    const base = { fields: draft('a', 'b', 'c').fields.map(({ definition }) => definition) as never };
    const two = draft('a', 'b', 'c');
    const renamed = changeField(two, 0, { key: 'x' });
    expect(renamesOf(base, renamed)).toEqual([{ id: 0, from: 'a', to: 'x', keepsData: true }]);
    expect(renamesOf(base, chooseData(renamed, 0, false))).toMatchObject([{ keepsData: false }]);
    expect(renamesOf(base, changeField(renamed, 0, { kind: 'number' }))).toEqual([]);
    expect(renamesOf(base, changeField(renamed, 1, { key: 'a' }))).toEqual([]);
    expect(renamesOf(base, changeField(removeField(two, 1), 0, { key: 'b' }))).toEqual([]);
    expect(renamesOf(base, addField(two, TEXT))).toEqual([]);
  });

  it('reports each problem with its field', () => {
    const two = draft('a', 'b');
    const invalid = changeField(changeField(two, idOf(two, 'b'), { key: 'a' }), idOf(two, 'a'), { minLength: 1.5 });
    const { problems } = checkDraft(invalid);
    expect(Object.keys(problems.get(idOf(two, 'a')) ?? {})).toEqual(['minLength']);
    const duplicate = checkDraft(changeField(two, idOf(two, 'b'), { key: 'a' }));
    expect(duplicate.problems.get(idOf(two, 'b'))).toEqual({ key: 'is used by an earlier field' });
    expect(duplicate.definitions.map(({ key }) => key)).toEqual(['a']);
  });
});
