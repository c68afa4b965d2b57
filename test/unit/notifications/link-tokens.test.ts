import fc from 'fast-check';
import { ObjectId, UUID } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { createLinkTokens } from '../../../src/features/notifications/link-tokens.ts';

const tokens = createLinkTokens('a secret of the tests', 'email confirmation');
const appId = new ObjectId();
const link = { recordId: new UUID(), expiresAt: new Date('2026-01-31T08:30:00.123Z') };
const token = tokens.issue(appId, link);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('the token of a link', () => {
  it('names the record and the expiry, and needs no escape in a URL', () => {
    const read = tokens.read(appId, token);
    expect(read?.recordId.equals(link.recordId)).toBe(true);
    expect(read?.expiresAt).toEqual(link.expiresAt);
    expect(encodeURIComponent(token)).toBe(token);
  });

  it('is not valid with any character changed', () => {
    for (let at = 0; at < token.length; at += 1) {
      for (const character of ALPHABET) {
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        if (changed !== token) expect(tokens.read(appId, changed)).toBeUndefined();
      }
    }
  });

  it('is not valid for another app, for another use, with another secret, or as another text', () => {
    expect(tokens.read(new ObjectId(), token)).toBeUndefined();
    expect(createLinkTokens('a secret of the tests', 'entry').read(appId, token)).toBeUndefined();
    expect(createLinkTokens('another secret', 'email confirmation').read(appId, token)).toBeUndefined();
    for (const text of ['', `${token}=`, `${token}A`, token.slice(1), ` ${token}`]) {
      expect(tokens.read(appId, text)).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (text) => tokens.read(appId, text) === undefined));
  });
});
