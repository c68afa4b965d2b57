import { describe, expect, it } from 'vitest';
import { notLessThan, type UserCount } from '../../../web/src/users/list/use-user-count.ts';

describe('a count beside another one', () => {
  it.each<[UserCount, number, UserCount]>([
    [{ total: 50, is: 'atLeast' }, 9_915, { total: 9_915, is: 'atLeast' }],
    [{ total: 50, is: 'atLeast' }, 40, { total: 50, is: 'atLeast' }],
    [{ total: 10_000, is: 'moreThan' }, 12_000, { total: 10_000, is: 'moreThan' }],
    [{ total: 7, is: 'exact' }, 9, { total: 7, is: 'exact' }],
  ])('%o is not less than %i', (count, found, shown) => {
    expect(notLessThan(found, count)).toEqual(shown);
  });

  it('is unknown until something is counted', () => {
    expect(notLessThan(5, undefined)).toBeUndefined();
  });
});
