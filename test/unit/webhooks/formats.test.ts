import { parse } from 'discord-markdown-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type MessageContent,
  type MessageFormat,
  renderMessage,
  shownUrl,
} from '../../../src/features/webhooks/formats.ts';

const LINK = 'https://forms.example.com/dashboard/apps/contact/users/01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57';
const FORMATS: MessageFormat[] = ['slack', 'discord', 'teams', 'text'];

const HOSTILE = [
  '@everyone',
  '@here',
  '<!channel>',
  '<!here|here>',
  '<@U012AB3CD>',
  '<#C123>',
  '<@&123>',
  '<@!123>',
  '<@123>',
  '<https://evil.example|Click>',
  '[click](https://evil.example)',
  'https://evil.example',
  'www.evil.example',
  'HTTP://evil.example',
  '<at>Ada</at>',
  '![x](http://evil.example/x.png)',
  '<t:1:R>',
  '<:party:123>',
  '</cmd:1>',
  '*bold*',
  '_it_',
  '~no~',
  '**b**',
  '__u__',
  '||spoiler||',
  '`code`',
  '```\nblock\n```',
  '> quote',
  '>>> all',
  '# heading',
  '-# small',
  '- item',
  '1. item',
  ':tada:',
  '\\',
  '\\\\*',
  '\\[a\\](b)',
  '\n\nEmail: a@b.example',
  '\u202Eevil',
  '\u200B',
  '\u0000',
  '\uD800',
  '\uDFFF',
  '\u2060',
  '\u00AD',
  '\u2028',
  '\r\n',
  '👩‍👩‍👧',
  'e\u0301',
  'mailto:a@b.example',
  'javascript:alert(1)',
  '&lt;!channel&gt;',
  '&amp;',
  '{{x}}',
  '@{body}',
  '',
  ' ',
  '\u3164',
];

const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));
/** Some are beyond every limit. */
const longText = fc.tuple(hostileText, fc.constantFrom(1, 1, 1, 500)).map(([text, times]) => text.repeat(times));

const contents: fc.Arbitrary<MessageContent> = fc.record({
  heading: fc.constant('New entry'),
  title: hostileText,
  values: fc.array(fc.record({ name: hostileText, value: longText }), { maxLength: 130 }),
  link: fc.constantFrom(LINK, undefined),
});

/** Asserts that no client takes a part of a text for a link or a mention, and nothing is hidden. */
function expectPlain(text: string): void {
  expect(text).not.toMatch(/[a-z][a-z0-9+.-]*:\/\//i);
  expect(text).not.toMatch(/www\./i);
  expect(text).not.toMatch(/(?:mailto|javascript|data|tel):/i);
  expect(text).not.toMatch(/(?<![\w.+-])@[^\s\u2060…]/);
  expect(text).not.toMatch(/<[^\s\u2060…]/);
  expectVisible(text);
}

function expectVisible(text: string): void {
  expect(text).toBe(text.toWellFormed());
  // Controls but tabs and line feeds, and characters that hide or reorder others.
  expect(text).not.toMatch(/(?![\t\n])\p{Cc}|[\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069]/u);
}

const holds = (property: (content: MessageContent) => void): void =>
  fc.assert(fc.property(contents, property), { numRuns: 60 });

describe('a message of Slack', () => {
  it('has blocks that format nothing, but the link, within the limits', () => {
    holds((content) => {
      const { text, mrkdwn, unfurl_links, blocks, ...others } = JSON.parse(renderMessage('slack', content));
      expect(others).toEqual({ unfurl_media: false });
      expect({ mrkdwn, unfurl_links }).toEqual({ mrkdwn: false, unfurl_links: false });
      expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      expect(blocks.length).toBeLessThanOrEqual(50);
      const texts = blocks.map((block: { text: object }) => block.text);
      const last = { type: 'mrkdwn', text: `<${LINK}|Open in the dashboard>`, verbatim: true };
      if (content.link) expect(texts.pop()).toEqual(last);
      for (const { type, text: shown, emoji } of texts) {
        expect({ type, emoji }).toEqual({ type: 'plain_text', emoji: false });
        expectPlain(shown);
        expect(shown.length).toBeGreaterThan(0);
        expect(shown.length).toBeLessThanOrEqual(3_000);
      }
      expect(texts[0].text.length).toBeLessThanOrEqual(150);
      expect(blocks.slice(1).every((block: { type: string }) => block.type === 'section')).toBe(true);
    });
  });
});

describe('a message of Discord', () => {
  it.each(['<@123>', '**b**', 'https://evil.example', '||s||'])('could be formatted, for example by %s', (text) => {
    expect(parse(text, 'extended').map(({ type }) => type)).not.toEqual(['text']);
  });

  it('is text and nothing else to a parser of its Markdown, within the limits', { tags: 'long' }, () => {
    holds((content) => {
      const { embeds, allowed_mentions: mentions, ...others } = JSON.parse(renderMessage('discord', content));
      expect(others).toEqual({});
      expect(mentions).toEqual({ parse: [] });
      const [{ title, url, fields }] = embeds;
      expect(url).toBe(content.link);
      expect(embeds.length).toBe(1);
      expect(fields.length).toBeLessThanOrEqual(25);
      const names = fields.map(({ name }: { name: string }) => name);
      const values = fields.map(({ value }: { value: string }) => value);
      for (const text of [title, ...names, ...values]) {
        for (const { type } of parse(text, 'extended')) expect(['text', 'br', 'twemoji']).toContain(type);
        expectVisible(text);
        expect(text.trim()).not.toBe('');
      }
      expect(Math.max(title.length, ...names.map((name: string) => name.length))).toBeLessThanOrEqual(256);
      expect(Math.max(0, ...values.map((value: string) => value.length))).toBeLessThanOrEqual(1_024);
      expect([title, ...names, ...values].join('').length).toBeLessThanOrEqual(6_000);
    });
  });
});

describe('a message of Teams', () => {
  it('is an Adaptive Card of runs, which have no Markdown, in 28 kB', () => {
    holds((content) => {
      const body = renderMessage('teams', content);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(28 * 1_000);
      const { type, attachments } = JSON.parse(body);
      expect(type).toBe('message');
      const [{ contentType, content: card }] = attachments;
      expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
      expect(
        Object.keys(card).filter((key) => !['$schema', 'type', 'version', 'body', 'actions'].includes(key)),
      ).toEqual([]);
      expect(card.actions).toEqual(
        content.link && [{ type: 'Action.OpenUrl', title: 'Open in the dashboard', url: LINK }],
      );
      for (const { type: block, inlines } of card.body) {
        expect(block).toBe('RichTextBlock');
        for (const { type: inline, text, selectAction } of inlines) {
          expect({ inline, selectAction }).toEqual({ inline: 'TextRun', selectAction: undefined });
          expectPlain(text);
        }
      }
    });
  });
});

describe('a message as text', () => {
  it('has one line for each value, and no link but its own, in 4,000 bytes', () => {
    holds((content) => {
      const text = renderMessage('text', content);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000);
      const own = content.link ? text.slice(0, -`${LINK}\n`.length) : text;
      expect(own + (content.link ? `${LINK}\n` : '')).toBe(text);
      expectPlain(own);
      // A further line of a value is indented, so that it is no line of another value.
      const lines = own
        .split('\n')
        .slice(2)
        .filter((line) => line !== '' && !line.startsWith('    '));
      expect(lines.length).toBeLessThanOrEqual(content.values.length);
    });
  });
});

describe('the values of a message', () => {
  const content = (values: number, length = 10): MessageContent => ({
    heading: 'New entry',
    title: 'Contact',
    link: LINK,
    values: Array.from({ length: values }, (_, index) => ({ name: `Field ${index}`, value: 'x'.repeat(length) })),
  });

  it.each(FORMATS)('in the format %s are all there when they fit', (format) => {
    const text = renderMessage(format, { ...content(24), title: 'Contact' });
    expect(text).toContain('Contact');
    for (let index = 0; index < 24; index += 1) expect(text).toContain(`Field ${index}`);
    expect(text).not.toContain('More values');
  });

  it.each(FORMATS)('in the format %s end with the number of others', (format) => {
    const text = renderMessage(format, content(120, 500)).replaceAll('\\', '');
    const [, rest = ''] = /(\d+) more are in the dashboard/.exec(text) ?? [];
    const shown = 120 - Number(rest);
    expect(shown).toBeGreaterThan(0);
    expect(text).toContain(`Field ${shown - 1}`);
    expect(text).not.toContain(`Field ${shown}`);
  });

  it.each(FORMATS)('in the format %s are cut with an ellipsis', (format) => {
    const text = renderMessage(format, content(1, 100_000));
    expect(text).toContain('x…');
    expect(text).not.toContain('More values');
  });
});

describe('the shown URL of a webhook', () => {
  const url = 'https://hooks.slack.com/services/T0000/B0000/secret?key=secret';

  it.each(FORMATS)('in the format %s is the origin', (format) => {
    expect(shownUrl({ url, format })).toBe('https://hooks.slack.com/…');
  });

  it('is the whole one in the standard format', () => {
    expect(shownUrl({ url, format: 'standard' })).toBe(url);
  });
});
