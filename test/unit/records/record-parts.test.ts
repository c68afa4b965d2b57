import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/core/schemas/schema-leases.ts';
import { createRecordParts, type RecordPart } from '../../../src/core/users/record-part.ts';
import type { Submission } from '../../../src/core/users/submission.ts';
import type { Requirement, Statement, WritePart } from '../../../src/core/users/write-part.ts';
import { createEditParts } from '../../../src/features/records/edit-part.ts';
import { joinMembers } from '../../../src/platform/database/members.ts';

const newLease = () => ({}) as Lease;
const write = (name: string): WritePart => ({ name, bytes: 0 });
const submission = (email: string) => ({ email }) as Submission;

/** A part of the submissions of one email, and of all edits. */
function partOf(name: string, email: string, reserved?: number): RecordPart {
  return {
    name,
    members: { [name]: String },
    under: () => ({
      ...(reserved !== undefined && { reserved }),
      begin: (sent) => (sent.email === email ? write(name) : undefined),
      edits: {
        name,
        requires: [roomOf(name)],
        add(statement) {
          statement.update.$set[name] = true;
          return () => calls.push(name);
        },
      },
    }),
  };
}
const calls: string[] = [];

const roomOf = (name: string): Requirement => ({
  name: `room in ${name}`,
  filter: { [name]: 'has room' },
  facts: { $size: `$${name}` },
  isMet: (facts) => facts !== 'full',
  restore: async () => void calls.push(`restored ${name}`),
  ...(name === 'partial' && { onlyPartial: true }),
});

describe('the parts of a record', () => {
  it('cannot have one member twice', () => {
    expect(joinMembers([{ a: String }, { b: Number }])).toEqual({ a: String, b: Number });
    expect(() => joinMembers([{ a: String }, { a: Number }])).toThrow('two parts have the member a');
  });

  it('take part in the submissions that concern them, in their order', () => {
    const none: RecordPart = { name: 'none', members: {}, under: () => undefined };
    const parts = createRecordParts(() => [
      partOf('b', 'ada@x.org'),
      none,
      partOf('a', 'ada@x.org'),
      partOf('c', 'eve@x.org'),
    ]);
    const lease = newLease();
    expect(parts.begin(submission('ada@x.org'), lease)?.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(parts.begin(submission('eve@x.org'), lease)?.map(({ name }) => name)).toEqual(['c']);
    expect(parts.begin(submission('bob@x.org'), lease)).toBeUndefined();
  });

  it('are composed once for each lease', () => {
    let count = 0;
    const counted: RecordPart = {
      name: 'counted',
      members: {},
      under() {
        count += 1;
        return { reserved: 7 };
      },
    };
    const parts = createRecordParts(() => [counted, partOf('a', '', 5)]);
    const [one, other] = [newLease(), newLease()];
    for (const lease of [one, one, other]) expect(parts.reserved(lease)).toBe(12);
    parts.begin(submission('ada@x.org'), one);
    expect(count).toBe(2);
  });

  it('repair a record before an edit, and add to it in their order', async () => {
    const edits = createEditParts(createRecordParts(() => [partOf('a', ''), partOf('b', '')]));
    const lease = newLease();
    const record = { _id: {}, appId: {}, email: 'ada@x.org' } as never;
    expect(edits.facts(lease)).toEqual({ parts: { 'room in a': { $size: '$a' }, 'room in b': { $size: '$b' } } });
    const read = (facts: object) => ({ ...(record as object), parts: facts }) as never;
    expect(edits.isReady(read({ 'room in a': 1, 'room in b': 1 }), lease, true)).toBe(true);
    const full = read({ 'room in a': 1, 'room in b': 'full' });
    expect(edits.isReady(full, lease, true)).toBe(false);
    await edits.repair(full, lease, true);
    expect(calls.splice(0)).toEqual(['restored b']);
    const statement: Statement = { filter: {}, update: { $set: {} }, newId: {} as never, bytes: 0 };
    const noteStored = edits.add(statement, { isWhole: true } as never, record, lease);
    expect(statement.filter).toEqual({ a: 'has room', b: 'has room' });
    expect(statement.update.$set).toEqual({ a: true, b: true });
    expect(calls).toEqual([]);
    noteStored(record);
    expect(calls).toEqual(['a', 'b']);
  });

  it('require of an edit of the whole record only what it needs', () => {
    const edits = createEditParts(createRecordParts(() => [partOf('partial', '')]));
    const lease = newLease();
    const record = { parts: { 'room in partial': 'full' } } as never;
    expect(edits.isReady(record, lease, true)).toBe(true);
    expect(edits.isReady(record, lease, false)).toBe(false);
    const filterOf = (isWhole: boolean) => {
      const statement: Statement = { filter: {}, update: { $set: {} }, newId: {} as never, bytes: 0 };
      edits.add(statement, { isWhole } as never, record, lease);
      return statement.filter;
    };
    expect(filterOf(true)).toEqual({});
    expect(filterOf(false)).toEqual({ partial: 'has room' });
  });

  it('of a record without parts read nothing', () => {
    expect(createEditParts(createRecordParts(() => [])).facts(newLease())).toEqual({});
  });
});
