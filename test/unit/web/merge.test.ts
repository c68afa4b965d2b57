import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { addField, changeField, type Draft, draftOf, removeField } from '../../../web/src/schema-editor/draft/draft.ts';
import { type MergeRow, merged, mergeRows } from '../../../web/src/schema-editor/draft/merge.ts';
import { moveTo } from '../../../web/src/schema-editor/draft/pages.ts';
import { loadTexts } from '../../../web/src/texts/texts.ts';

await loadTexts();

const field = (key: string, more: object = {}): FieldDefinition =>
  ({ key, label: key, kind: 'text', required: false, ...more }) as FieldDefinition;
const version = (number: number, fields: FieldDefinition[], rejectUnknown = false) => ({
  etag: `"v${number}"`,
  schema: { version: number, rejectUnknown, fields },
});

const base = version(
  2,
  ['a', 'b', 'c', 'd'].map((key) => field(key)),
);
const same = (key: string): string => key;
const preselected = ({ preselected: side }: Pick<MergeRow, 'preselected'>) => side;
const shown = ({ fields }: Draft) =>
  fields.map(({ definition, originalKey }) => [definition.key, definition.label, originalKey]);

describe('the merge of a draft with a version of someone else', () => {
  const mine = () => {
    let draft = draftOf(base.schema);
    draft = changeField(draft, 0, { label: 'My A' });
    draft = changeField(draft, 2, { label: 'My C' });
    draft = removeField(draft, 3);
    return addField(draft, { kind: 'number', label: 'Number' });
  };
  const theirs = version(3, [
    field('a'),
    field('b', { label: 'Their B' }),
    field('c', { label: 'Their C' }),
    field('d'),
    field('e'),
  ]);

  it('preselects what one side changed, and names what both changed', () => {
    const rows = mergeRows({ base, draft: mine() }, theirs.schema, same);
    expect(rows.map(({ name, isConflict, preselected: side }) => [name, isConflict, side])).toEqual([
      ['My A (a)', false, 'mine'],
      ['Their B (b)', false, 'theirs'],
      ['My C (c)', true, 'mine'],
      ['d', false, 'mine'],
      ['Number (number)', false, 'mine'],
      ['e', false, 'theirs'],
    ]);
    expect(rows[2]?.changes).toEqual({
      mine: ['“My C” (c) label changed: “c” → “My C”'],
      theirs: ['“Their C” (c) label changed: “c” → “Their C”'],
    });
  });

  it('takes the chosen side of each field, on top of the newer version', () => {
    const state = { base, draft: mine() };
    const result = merged(state, theirs, same, preselected);
    expect(result.base).toBe(theirs);
    expect(shown(result.draft)).toEqual([
      ['a', 'My A', 'a'],
      ['b', 'Their B', 'b'],
      ['c', 'My C', 'c'],
      ['number', 'Number', undefined],
      ['e', 'e', 'e'],
    ]);
    expect(new Set(result.draft.fields.map(({ id }) => id)).size).toBe(5);
    const others = merged(state, theirs, same, (row) => (preselected(row) === 'mine' ? 'theirs' : 'mine'));
    expect(shown(others.draft)).toEqual([
      ['a', 'a', 'a'],
      ['b', 'b', 'b'],
      ['c', 'Their C', 'c'],
      ['d', 'd', 'd'],
    ]);
  });

  it('follows the renames of both sides', () => {
    const renamed = version(3, [field('a2'), field('b'), field('c2'), field('d')]);
    const keyInNewest = (key: string) => ({ a: 'a2', c: 'c2' })[key] ?? key;
    let draft = changeField(draftOf(base.schema), 0, { label: 'My A' });
    draft = changeField(draft, 2, { key: 'c3' });
    const rows = mergeRows({ base, draft }, renamed.schema, keyInNewest);
    expect(rows.map(({ name, isConflict }) => [name, isConflict])).toEqual([
      ['My A (a)', true],
      ['c (c3)', true],
    ]);
    expect(rows.map(({ changes }) => changes.theirs)).toEqual([
      ['a2 key changed: a → a2; stored values move to the new key'],
      ['c2 key changed: c → c2; stored values move to the new key'],
    ]);
    const theirName = merged({ base, draft }, renamed, keyInNewest, ({ id }) => (id === 'a' ? 'theirs' : 'mine'));
    expect(shown(theirName.draft)).toEqual([
      ['a2', 'a2', 'a2'],
      ['b', 'b', 'b'],
      ['c3', 'c', 'c2'],
      ['d', 'd', 'd'],
    ]);
  });

  it('keeps a field that only the other side removed, as a new one', () => {
    const draft = changeField(draftOf(base.schema), 1, { required: true });
    const without = version(3, [field('a'), field('c'), field('d')], true);
    const rows = mergeRows({ base, draft }, without.schema, same);
    expect(rows.map(({ name, isConflict, preselected: side }) => [name, isConflict, side])).toEqual([
      ['b', true, 'mine'],
      ['Unknown fields', false, 'theirs'],
    ]);
    const result = merged({ base, draft }, without, same, preselected).draft;
    expect(shown(result)).toEqual([
      ['a', 'a', 'a'],
      ['b', 'b', undefined],
      ['c', 'c', 'c'],
      ['d', 'd', 'd'],
    ]);
    expect(result.rejectUnknown).toBe(true);
  });

  it('has the order of the draft unless the other side changed the order', () => {
    const draft = moveTo(draftOf(base.schema), 3, 0, 1);
    const keys = (state: { draft: Draft }) => state.draft.fields.map(({ definition }) => definition.key).join('');
    expect(keys(merged({ base, draft }, version(3, [...base.schema.fields, field('e')]), same, preselected))).toBe(
      'dabce',
    );
    const reversed = version(3, base.schema.fields.toReversed());
    expect(keys(merged({ base, draft }, reversed, same, preselected))).toBe('dcba');
  });
});
