import { describe, expect, it } from 'vitest';
import type { FormSettings } from '../../../web/src/api/endpoints.ts';
import { draftOf, theirChanges, withoutSecret } from '../../../web/src/connect/settings/settings-draft.ts';

const settings = {
  title: 'Before',
  botProtection: 'turnstile',
  captcha: { siteKey: 'site', outage: 'hold', hasSecret: true },
  closesAt: null,
} as FormSettings;
const base = { settings, etag: '"1"' };

describe('a draft of form settings', () => {
  it('is stored without the secret, and not for the secret alone', () => {
    const typed = { ...draftOf(settings), captchaSecret: 'typed' };
    expect(withoutSecret({ base, draft: typed })).toBeUndefined();
    const kept = withoutSecret({ base, draft: { ...typed, title: 'Mine' } });
    expect(kept?.draft).toEqual({ ...draftOf(settings), title: 'Mine' });
  });

  it('differs from newer settings in what they change, unless it has the same', () => {
    const draft = { ...draftOf(settings), title: 'Mine', thanks: 'Mine' };
    expect(theirChanges({ base, draft }, { ...settings, title: 'Theirs', next: 'https://x.org' })).toEqual([
      'title',
      'next',
    ]);
    expect(theirChanges({ base, draft }, { ...settings, title: 'Mine' })).toEqual([]);
  });
});
