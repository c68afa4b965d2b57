import { describe, expect, it } from 'vitest';
import { orNull, text } from '../../../src/features/form-settings/app-setting.ts';
import {
  DEFAULT_FORM_SETTINGS,
  FormSettingsRequest,
  FormSettingsResponse,
  joinSettings,
  SETTINGS,
  shownSettings,
} from '../../../src/features/form-settings/form-settings.ts';

/** A value of each setting, as requests have it. Without images and secrets, which are replaced. */
const VALUES: Record<keyof typeof SETTINGS, unknown> = {
  name: ' The\nnewsletter ',
  theme: { preset: 'paper', accent: '#AABBCC', scheme: 'dark', font: null, logoAlt: 'Logo' },
  title: 'Newsletter',
  description: 'News',
  submitLabel: 'Send',
  thanks: 'Thanks',
  locale: 'en',
  languages: ['de', 'fr', 'de'],
  texts: { de: { title: 'Rundbrief', thanks: null }, fr: {} },
  pages: [
    { page: 2, title: 'Two', titles: { de: 'Zwei' } },
    { page: 1, title: 'One', description: 'First', descriptions: { de: 'Zuerst' } },
  ],
  timeZone: 'Europe/Berlin',
  origins: ['https://example.com', 'https://example.com'],
  nullOrigin: true,
  next: 'https://example.com/thanks',
  botProtection: 'off',
  captcha: { siteKey: 'key', outage: 'refuse' },
  submitPerMinute: 5,
  closesAt: '2030-01-01T00:00:00+02:00',
  maxRecords: 100,
  notify: {
    emails: ['Team@example.com', 'team@example.com'],
    when: 'each',
    routes: [
      {
        if: { any: [{ field: 'email', op: 'in', value: ['Ada@example.com'] }] },
        emails: ['sales@example.com'],
        problem: { path: 'if.any.0.field' },
      },
    ],
  },
  doubleOptIn: true,
  reply: {
    when: 'each',
    subject: 'Hello',
    text: '{seats}',
    texts: { de: { subject: 'Hallo', text: '{email}' } },
    include: ['seats'],
  },
  existing: 'keep',
  receipt: false,
  drafts: false,
  own: { fields: ['name', 'name'], erase: false, export: null },
};

const keys = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
const request = (body: object) => FormSettingsRequest.parse(body);
const response = (settings: object) => JSON.parse(JSON.stringify(shownSettings(settings)));

describe('settings of forms', () => {
  it('have different keys', () => {
    expect(() => joinSettings({ one: orNull(text(1)) }, { one: orNull(text(1)) })).toThrow(
      'two settings have the key one',
    );
  });

  it.each(keys)('%s: a response is a valid request with the same value', (key) => {
    const sent = request({ [key]: VALUES[key] });
    const shown = response(sent);
    expect(sent[key]).not.toEqual(request({})[key]);
    expect(shown).toHaveProperty(key);
    expect(FormSettingsResponse.parse(shown)).toEqual(shown);
    expect(request(shown)).toEqual(sent);
  });

  it.each(keys)('%s: null in a request is absence', (key) => {
    expect(request({ [key]: null })).toEqual(request({}));
  });

  it('have defaults, which a response shows', () => {
    expect(DEFAULT_FORM_SETTINGS).toEqual({ origins: [], nullOrigin: false, botProtection: 'honeypot' });
    expect(request(response(DEFAULT_FORM_SETTINGS))).toEqual(request({}));
  });
});
