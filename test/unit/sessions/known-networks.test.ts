import { beforeEach, describe, expect, it } from 'vitest';
import { createKnownNetworks } from '../../../src/platform/log-ins/log-in-limits.ts';

let networks: ReturnType<typeof createKnownNetworks>;
beforeEach(() => {
  networks = createKnownNetworks();
});

function fail(network: string, times: number): void {
  for (let failed = 0; failed < times; failed += 1) networks.noteFailure(network);
}

describe('a network', () => {
  it('is known from its login or a session on', () => {
    expect(networks.has('here')).toBe(false);
    networks.remember('here');
    networks.noteSession('there');
    expect([networks.has('here'), networks.has('there'), networks.has('elsewhere')]).toEqual([true, true, false]);
  });

  it('is unknown after five wrong passwords, until its next login', () => {
    networks.remember('here');
    networks.remember('there');
    fail('here', 4);
    expect(networks.has('here')).toBe(true);
    fail('here', 1);
    expect([networks.has('here'), networks.has('there')]).toEqual([false, true]);
    // A session does not end the count: its password is not checked.
    networks.noteSession('here');
    expect(networks.has('here')).toBe(false);
    networks.remember('here');
    fail('here', 4);
    expect(networks.has('here')).toBe(true);
  });

  it('does not become known by wrong passwords', () => {
    fail('here', 10);
    expect(networks.has('here')).toBe(false);
    networks.remember('here');
    expect(networks.has('here')).toBe(true);
  });
});
