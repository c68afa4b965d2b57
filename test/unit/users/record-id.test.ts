import { describe, expect, it } from 'vitest';
import { createOrderedIds, parseUuid } from '../../../src/platform/database/ordered-ids.ts';

const at = (ms: number): Date => new Date(1_780_000_000_000 + ms);

describe('record ids', () => {
  it('are UUIDs of version 7 with the time of creation', () => {
    const createdAt = at(123);
    const id = createOrderedIds()(createdAt).toString();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(createdAt.getTime());
  });

  it('are in order of creation, also within one millisecond', () => {
    const newId = createOrderedIds();
    const times = [...Array.from({ length: 5_000 }, () => at(0)), at(1), at(1), at(2), at(1_000)];
    const ids = times.map((time) => newId(time).toString());
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('of different servers in one millisecond differ', () => {
    const servers = Array.from({ length: 100 }, () => createOrderedIds());
    expect(new Set(servers.map((newId) => newId(at(0)).toString())).size).toBe(servers.length);
  });

  it('stay unique when the clock is set back', () => {
    const newId = createOrderedIds();
    const ids = [5, 4, 5, 4, 5].map((ms) => newId(at(ms)).toString());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are parsed from text', () => {
    const id = createOrderedIds()(at(0));
    expect(parseUuid(id.toString())?.equals(id)).toBe(true);
  });

  it.each(['', 'x', '123', '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e5', '{"$gt":""}'])('are not parsed from %j', (text) => {
    expect(parseUuid(text)).toBeUndefined();
  });
});
