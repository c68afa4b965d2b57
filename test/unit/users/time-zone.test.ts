import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeZoneOf } from '../../../src/features/search/time-zone.ts';

const DAY_MS = 86_400_000;
const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Africa/Cairo', 'Pacific/Apia', 'Australia/Lord_Howe'];

/** The local date and time as Intl shows it. */
function shown(zone: string, instant: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(instant);
}
const localText = (localTime: number): string => new Date(localTime).toISOString().slice(0, 19).replace('T', ' ');

describe('a time zone', () => {
  it.each(ZONES)('%s has the local times of Intl, and finds their instants', (name) => {
    const zone = timeZoneOf(name);
    const instants = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2035, 0) });
    fc.assert(
      fc.property(instants, (instant) => {
        const local = zone.localTime(instant);
        expect(localText(local)).toBe(shown(name, instant));
        const found = zone.instantOf(local);
        expect(zone.localTime(found)).toBe(local);
        expect(found).toBeLessThanOrEqual(instant);
        // Bounds are of whole seconds; UTC has its own form.
        if (name !== 'UTC') expect(Date.parse(zone.textOf(local))).toBe(Math.floor(found / 1_000) * 1_000);
        expect(zone.textOf(local).slice(0, 10)).toBe(localText(local).slice(0, 10));
      }),
    );
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
    // The clocks skip midnight, and a day.
    ['Africa/Cairo', '2026-04-24', 23],
    ['Pacific/Apia', '2011-12-30', 0],
  ])('of %s has on %s a day of %s hours', (name, day, hours) => {
    const zone = timeZoneOf(name);
    const start = Date.parse(day);
    expect((zone.instantOf(start + DAY_MS) - zone.instantOf(start)) / 3_600_000).toBe(hours);
  });

  it('writes offsets of whole minutes', () => {
    expect(timeZoneOf('America/St_Johns').textOf(Date.UTC(2026, 0, 31))).toBe('2026-01-31T00:00:00-03:30');
    expect(timeZoneOf('Europe/Berlin').textOf(Date.UTC(1850, 0, 1))).toBe('1849-12-31T23:06:32.000Z');
  });
});
