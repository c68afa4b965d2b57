import { describe, expect, it } from 'vitest';
import { checkDraft } from '../../../web/src/schema-editor/checked-draft.ts';
import {
  addField,
  changeField,
  type Draft,
  draftOf,
  duplicateField,
  KINDS,
  moveField,
  rebased,
  removeField,
  withDefinitions,
} from '../../../web/src/schema-editor/draft.ts';

const draft = (...keys: string[]): Draft =>
  draftOf({ rejectUnknown: false, fields: keys.map((key) => ({ key, label: key, kind: 'text', required: false })) });
const keys = ({ fields }: Draft) => fields.map(({ definition }) => definition.key);
const idOf = ({ fields }: Draft, key: string) => fields.find(({ definition }) => definition.key === key)?.id ?? -1;

describe('a schema draft', () => {
  it.each(KINDS)('adds a valid field of kind %s', (kind) => {
    const { problems, definitions } = checkDraft(addField(draft(), kind));
    expect([...problems]).toEqual([]);
    expect(definitions).toMatchObject([{ kind, required: false }]);
  });

  it('gives new fields unique keys', () => {
    const three = addField(addField(addField(draft('text'), 'text'), 'text'), 'text');
    expect(keys(three)).toEqual(['text', 'text2', 'text3', 'text4']);
  });

  it.each([
    ['Your e-mail (work)', 'yourEMailWork'],
    ['Größe', 'groE'],
    ['2nd choice', 'ndChoice'],
    ['日本', 'field'],
    ['x'.repeat(80), 'x'.repeat(48)],
  ])('derives a key from the label %j', (label, key) => {
    const added = addField(draft(), 'text');
    expect(keys(changeField(added, idOf(added, 'text'), { label }))).toEqual([key]);
  });

  it('keeps keys that were edited or are stored', () => {
    const added = addField(draft('stored'), 'text');
    const id = idOf(added, 'text');
    const edited = changeField(changeField(added, id, { key: 'mine' }), id, { label: 'Other' });
    expect(keys(changeField(edited, idOf(edited, 'stored'), { label: 'Else' }))).toEqual(['stored', 'mine']);
  });

  it('moves fields only within the list', () => {
    const three = draft('a', 'b', 'c');
    expect(keys(moveField(three, idOf(three, 'c'), 0))).toEqual(['c', 'a', 'b']);
    expect(keys(moveField(three, idOf(three, 'a'), -1))).toEqual(['a', 'b', 'c']);
    expect(keys(moveField(three, idOf(three, 'a'), 3))).toEqual(['a', 'b', 'c']);
  });

  it('inserts a copy after its original, with its own key and id', () => {
    const two = draft('a', 'b');
    const copied = duplicateField(two, idOf(two, 'a'));
    expect(keys(copied)).toEqual(['a', 'a2', 'b']);
    expect(new Set(copied.fields.map(({ id }) => id)).size).toBe(3);
    expect(copied.fields[1]?.originalKey).toBeUndefined();
  });

  it('sends only the options of the kind of a field', () => {
    const added = addField(draft(), 'text');
    const id = idOf(added, 'text');
    const changed = changeField(changeField(added, id, { maxLength: 3, regex: '' }), id, { kind: 'number', min: 1 });
    expect(checkDraft(changed).definitions).toEqual([
      { key: 'text', label: 'Text', kind: 'number', required: false, min: 1 },
    ]);
    expect(checkDraft(changeField(changed, id, { kind: 'text' })).definitions).toMatchObject([{ maxLength: 3 }]);
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

  it('treats fields as new that the base version does not have', () => {
    const moved = rebased(removeField(draft('a', 'b'), 9), {
      fields: draft('b').fields.map(({ definition }) => definition) as never,
    });
    expect(moved.fields.map(({ originalKey }) => originalKey)).toEqual([undefined, 'b']);
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
