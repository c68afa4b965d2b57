import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listOfValues, valuesInList } from '../../../src/features/search/value-list.ts';

describe('the list of in', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['', ['']],
    ['a,,b,', ['a', '', 'b', '']],
    ['a\\,b,c', ['a,b', 'c']],
    ['a\\\\,b', ['a\\', 'b']],
    ['C:\\temp,\\', ['C:\\temp', '\\']],
    ['\\\\\\,', ['\\,']],
  ])('%j has the values %j', (list, values) => {
    expect(valuesInList(list)).toEqual(values);
  });

  it('keeps any values', () => {
    const character = fc.constantFrom('a', ',', '\\', ' ', 'ä');
    fc.assert(
      fc.property(fc.array(fc.string({ unit: character }), { minLength: 1 }), (values) => {
        expect(valuesInList(listOfValues(values))).toEqual(values);
      }),
    );
  });
});
