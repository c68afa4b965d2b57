import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import {
  type IndexSlot,
  isSameIndexes,
  SLOT_NAMES,
  type SlotState,
} from '../../../src/features/indexes/index-slots.ts';
import { slotWrites } from '../../../src/features/indexes/slot-records.ts';
import { planSlots, type WantedField, wantedFields } from '../../../src/features/indexes/slots.ts';

const use = (slot: IndexSlot['slot'], key: string, state: SlotState = 'ready', kind: IndexSlot['kind'] = 'text') => ({
  id: new ObjectId(),
  slot,
  key,
  kind,
  state,
  since: 1,
  done: 0,
  total: 0,
});
const summary = ({ drop, claim }: ReturnType<typeof planSlots>) => ({
  drop: drop.map(({ slot }) => slot),
  claim: claim.map(({ slot, key }) => `${slot} ${key}`),
});

describe('the plan for the slots of an app', () => {
  it.each<[string, IndexSlot[], WantedField[], string[], string[]]>([
    [
      'claims a free slot',
      [use('s0', 'a')],
      [
        { key: 'a', kind: 'text' },
        { key: 'b', kind: 'text' },
      ],
      [],
      ['s1 b'],
    ],
    ['drops what no field needs', [use('s0', 'a'), use('s3', 'b', 'building')], [], ['s0', 's3'], []],
    ['takes another slot when the kind changed', [use('s0', 'a')], [{ key: 'a', kind: 'date' }], ['s0'], ['s1 a']],
    ['leaves what is being dropped', [use('s0', 'a', 'dropping')], [{ key: 'a', kind: 'text' }], [], ['s1 a']],
  ])('%s', (_, slots, wanted, drop, claim) => {
    expect(summary(planSlots(slots, wanted))).toEqual({ drop, claim });
  });

  it('reads the indexed fields of a schema', () => {
    const field = { label: 'x', required: false };
    expect(
      wantedFields([
        { ...field, key: 'a', kind: 'text', indexed: true },
        { ...field, key: 'b', kind: 'text', indexed: false },
        { ...field, key: 'c', kind: 'array' },
        { ...field, key: 'd', kind: 'date', indexed: true },
      ]),
    ).toEqual([
      { key: 'a', kind: 'text' },
      { key: 'd', kind: 'date' },
    ]);
  });

  it('gives each slot to one field, whatever the schemas were, and reaches the newest one', () => {
    const wanted = fc.uniqueArray(
      fc.record({ key: fc.constantFrom(...'abcdefghijkl'), kind: fc.constantFrom('text' as const, 'date' as const) }),
      { selector: ({ key }) => key, maxLength: 8 },
    );
    // After each schema either nothing more happens, or all dropped slots become free.
    const steps = fc.array(fc.tuple(wanted, fc.boolean()), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(steps, (schemas) => {
        let slots: IndexSlot[] = [];
        const follow = (fields: readonly WantedField[]) => {
          const { drop, claim } = planSlots(slots, fields);
          slots = slots.map((slot) => (drop.includes(slot) ? { ...slot, state: 'dropping' } : slot));
          slots.push(...claim.map(({ slot, key, kind }) => use(slot, key, 'building', kind)));
          expect(new Set(slots.map(({ slot }) => slot)).size).toBe(slots.length);
        };
        const dropAll = () => {
          slots = slots.filter(({ state }) => state !== 'dropping');
        };
        for (const [fields, isDropped] of schemas) {
          follow(fields);
          if (isDropped) dropAll();
        }
        const last = schemas.at(-1)?.[0] ?? [];
        dropAll();
        follow(last);
        const served = slots.filter(({ state }) => state !== 'dropping').map(({ key, kind }) => `${key} ${kind}`);
        expect(served.sort()).toEqual(last.map(({ key, kind }) => `${key} ${kind}`).sort());
      }),
    );
  });
});

describe('the writes of slots', () => {
  it('cover all slots but those that are being dropped', () => {
    const slots = [use('s0', 'a'), use('s1', 'b', 'building', 'number'), use('s2', 'a', 'dropping'), use('s3', 'list')];
    expect(slotWrites(slots, { set: { a: 'É', constructor: 1 }, append: { list: [] } })).toEqual([
      { slot: 's0', key: 'a', value: 'é\0É' },
      { slot: 's1', key: 'b', value: undefined },
      { slot: 's3', key: 'list', value: null },
    ]);
    expect(slotWrites([use('s0', 'toString')], { set: {}, append: {} })).toEqual([
      { slot: 's0', key: 'toString', value: undefined },
    ]);
    expect(slotWrites(undefined, { set: { a: 'x' }, append: {} })).toBeUndefined();
  });

  it('depend on the uses of slots and their states only', () => {
    const slots = SLOT_NAMES.map((slot) => use(slot, slot));
    const [first, ...others] = slots;
    expect(isSameIndexes({ slots }, { slots: slots.map((slot) => ({ ...slot, done: 7 })) })).toBe(true);
    expect(isSameIndexes({}, { slots: [] })).toBe(true);
    expect(isSameIndexes({ slots }, { slots: others })).toBe(false);
    expect(isSameIndexes({ slots: others }, { slots })).toBe(false);
    expect(
      isSameIndexes({ slots }, { slots: [...(first ? [{ ...first, state: 'dropping' as const }] : []), ...others] }),
    ).toBe(false);
    expect(isSameIndexes({ slots: [use('s0', 'a')] }, { slots: [use('s0', 'a')] })).toBe(false);
  });
});
