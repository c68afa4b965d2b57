import { describe, expect, it } from 'vitest';
import { calendarDay } from '../../../web/src/components/content/time.tsx';

describe('a day in a list', () => {
  it('has four digits of its year', () => {
    expect(calendarDay('0085-11-28')).toMatch(/\b0085\b/);
    expect(calendarDay('1985-11-28')).toMatch(/\b1985\b/);
  });
});
