import { describe, expect, it } from 'vitest';
import { lastDay } from '../../../src/features/notifications/digest-job.ts';

describe('the last day', () => {
  it.each([
    ['2026-06-15T21:59:59.999Z', 'Europe/Berlin', '2026-06-14', '2026-06-13T22:00:00.000Z', '2026-06-14T22:00:00.000Z'],
    ['2026-06-15T22:00:00.000Z', 'Europe/Berlin', '2026-06-15', '2026-06-14T22:00:00.000Z', '2026-06-15T22:00:00.000Z'],
    ['2026-06-15T22:00:00.000Z', undefined, '2026-06-14', '2026-06-14T00:00:00.000Z', '2026-06-15T00:00:00.000Z'],
    ['2026-06-15T22:00:00.000Z', 'Nowhere/None', '2026-06-14', '2026-06-14T00:00:00.000Z', '2026-06-15T00:00:00.000Z'],
    // 23 hours, and 25.
    ['2026-03-29T22:30:00.000Z', 'Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25T23:30:00.000Z', 'Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    [
      '2026-01-01T12:00:00.000Z',
      'Pacific/Kiritimati',
      '2026-01-01',
      '2025-12-31T10:00:00.000Z',
      '2026-01-01T10:00:00.000Z',
    ],
    // Midnight does not occur: the day begins at 01:00.
    [
      '2026-09-07T12:00:00.000Z',
      'America/Santiago',
      '2026-09-06',
      '2026-09-06T04:00:00.000Z',
      '2026-09-07T03:00:00.000Z',
    ],
  ])('at %s in %s is %s', (now, zone, name, start, end) => {
    const day = lastDay(new Date(now), zone);
    expect({ name: day.name, start: day.start.toISOString(), end: day.end.toISOString() }).toEqual({
      name,
      start,
      end,
    });
  });
});
