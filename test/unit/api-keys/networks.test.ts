import { describe, expect, it } from 'vitest';
import { canonicalNetwork, isInNetworks } from '../../../src/features/api-keys/key-text.ts';

describe('canonicalNetwork', () => {
  it.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::1/32', '2001:db8::/32'],
    ['::1', '::1/128'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
  ])('%s is %s', (text, network) => {
    expect(canonicalNetwork(text)).toBe(network);
  });

  it.each([
    '',
    '10.1/8',
    '010.0.0.1/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '::1/129',
    'fe80::1%eth0',
    'host',
  ])('%j is none', (text) => {
    expect(canonicalNetwork(text)).toBeUndefined();
  });
});

describe('isInNetworks', () => {
  it.each([
    ['10.200.0.1', true],
    ['::ffff:10.200.0.1', true],
    ['11.0.0.1', false],
    ['2001:db8::5', true],
    ['2001:db9::5', false],
    ['::', false],
    ['', false],
    ['unknown', false],
  ])('%s: %s', (address, expected) => {
    expect(isInNetworks(address, ['10.0.0.0/8', '2001:db8::/32'])).toBe(expected);
  });
});
