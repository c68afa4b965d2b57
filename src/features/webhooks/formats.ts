import type { EntryValue } from '../notifications/entry-values.ts';

/** The formats of webhooks (spec 4.11). All but `standard` send a message for people. */
export const WEBHOOK_FORMATS = ['standard', 'slack', 'discord', 'teams', 'text'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];
export type MessageFormat = Exclude<WebhookFormat, 'standard'>;

interface FormatProperties {
  contentType: string;
  /** Whether attempts carry the headers of Standard Webhooks. */
  isSigned: boolean;
  /** Whether who knows the URL may post to it, so that no answer shows its path. */
  isSecret: boolean;
  /** The attempts to one webhook at the same time. Chats limit the messages of a second. */
  atOnce: number;
}

const CHAT: FormatProperties = { contentType: 'application/json', isSigned: false, isSecret: true, atOnce: 1 };

const FORMATS: Record<WebhookFormat, FormatProperties> = {
  standard: { contentType: 'application/json', isSigned: true, isSecret: false, atOnce: 20 },
  slack: CHAT,
  discord: CHAT,
  teams: CHAT,
  text: { ...CHAT, contentType: 'text/plain; charset=utf-8', isSigned: true },
};

/** Returns the properties of the format of a webhook. */
export function formatOf({ format }: { format: WebhookFormat }): FormatProperties {
  return FORMATS[format];
}

const HIDDEN_PATH = '/…';

/** Returns the URL of a webhook as answers show it: of a secret one, the origin only. */
export function shownUrl(webhook: { url: string; format: WebhookFormat }): string {
  return formatOf(webhook).isSecret ? new URL(webhook.url).origin + HIDDEN_PATH : webhook.url;
}

/** Returns whether {@link shownUrl} made a URL, which leads nowhere. */
export const isShortened = ({ pathname }: URL): boolean => pathname === encodeURI(HIDDEN_PATH);

/** One message. All texts but `heading` and `link` are of other people. */
export interface MessageContent {
  heading: string;
  /** The title of the form. */
  title: string;
  values: readonly EntryValue[];
  /** The URL of the record. */
  link: string | undefined;
}

const OPEN = 'Open in the dashboard';

/** Returns a body within the limits of its receiver, in which only `link` is a link. */
export const renderMessage = (format: MessageFormat, content: MessageContent): string => RENDERERS[format](content);

const RENDERERS = { slack: renderSlack, discord: renderDiscord, teams: renderTeams, text: renderText };

/** Formatting characters and controls, which can reorder or hide text. */
const INVISIBLE = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}]/gu;
/** Nothing that is seen, which some receivers refuse. */
const BLANK = /^(?:[\s\u115F\u1160\u2800\u3164\uFFA0]|\u200C|\u200D)*$/;

/** Returns a text without what could hide or reorder others, cut to about `max` characters. */
function visible(text: string, max: number): string {
  // A multiple, because what is removed does not count. The rest is never read.
  const start = text.slice(0, max * 4).toWellFormed();
  const cleaned = start
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(INVISIBLE, '')
    .trimEnd();
  return BLANK.test(cleaned) ? '–' : cleaned;
}

/** Returns a text cut to `max` UTF-16 units. @param escaped of one character */
function fit(text: string, max: number, escaped = (character: string) => character): string {
  let whole = '';
  let cut = '';
  for (const character of text) {
    const unit = escaped(character);
    if (whole.length + unit.length > max) return `${cut}…`;
    whole += unit;
    if (whole.length < max) cut = whole;
  }
  return whole;
}

/** Does not let a word begin a line or end one. No client takes what it divides for a link. */
const WORD_JOINER = '\u2060';

/**
 * Returns a text for a place where the receiver formats nothing. The word joiners also divide what
 * a client may take for a link or a mention there: a scheme, `www.`, `@name`, `<!here>`.
 */
function plain(text: string, max: number): string {
  const divided = visible(text, max)
    .replace(/:(?=\/\/)/g, `:${WORD_JOINER}`)
    .replace(/www(?=\.)/gi, `$&${WORD_JOINER}`)
    .replace(/(?:mailto|tel|data|javascript|slack|msteams)(?=:)/gi, `$&${WORD_JOINER}`)
    .replace(/(?<![\w.+-])@/g, `@${WORD_JOINER}`)
    .replace(/</g, `<${WORD_JOINER}`);
  return fit(divided, max);
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const headline = ({ heading, title }: MessageContent): string => `${heading}: ${oneLine(title)}`;

/** The further lines are indented, so that no value looks like another one. */
function plainLines({ name, value }: EntryValue, max: number): string {
  return `${plain(oneLine(name), 100)}: ${plain(value, max).replaceAll('\n', '\n    ')}`;
}

/** Renders values within limits; a last item tells how many there are more. */
function renderWithin<Item>(
  values: readonly EntryValue[],
  limits: { count: number; size: number },
  render: (value: EntryValue) => Item,
  sizeOf: (item: Item) => number,
): Item[] {
  const items: Item[] = [];
  const noteOf = (rest: number): Item => render({ name: 'More values', value: `${rest} more are in the dashboard` });
  let size = sizeOf(noteOf(values.length));
  for (const [index, value] of values.entries()) {
    const item = render(value);
    size += sizeOf(item);
    const isLast = index === values.length - 1;
    if (size > limits.size || (items.length === limits.count - 1 && !isLast)) {
      return [...items, noteOf(values.length - index)];
    }
    items.push(item);
  }
  return items;
}

const SLACK = { header: 150, section: 3_000, blocks: 50, characters: 12_000 };

/** A message of incoming webhooks. Blocks of the type `plain_text` format nothing. */
function renderSlack(content: MessageContent): string {
  const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });
  const header = plain(headline(content), SLACK.header);
  const sections = renderWithin(
    content.values,
    { count: SLACK.blocks - 2, size: SLACK.characters },
    (value) => ({ type: 'section', text: plainText(fit(plainLines(value, SLACK.section), SLACK.section)) }),
    ({ text }) => text.text.length,
  );
  const link = content.link && {
    type: 'section',
    text: { type: 'mrkdwn', text: `<${escapeSlack(content.link)}|${OPEN}>`, verbatim: true },
  };
  return JSON.stringify({
    // Shown in notifications, and by programs that know no blocks.
    text: escapeSlack(header),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [{ type: 'header', text: plainText(header) }, ...sections, ...(link ? [link] : [])],
  });
}

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const DISCORD = { title: 256, name: 256, value: 1_024, fields: 25, characters: 6_000 };

/** An embed. Discord has Markdown everywhere, in which a backslash escapes any punctuation. */
function renderDiscord(content: MessageContent): string {
  const escaped = (text: string, max: number) => fit(visible(text, max), max, escapeMarkdown);
  const title = escaped(headline(content), DISCORD.title);
  const fields = renderWithin(
    content.values,
    { count: DISCORD.fields, size: DISCORD.characters - title.length },
    ({ name, value }) => ({ name: escaped(oneLine(name), DISCORD.name), value: escaped(value, DISCORD.value) }),
    ({ name, value }) => name.length + value.length,
  );
  const embed = { title, ...(content.link && { url: content.link }), fields };
  return JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } });
}

function escapeMarkdown(character: string): string {
  return /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character;
}

/** 28 kB, from which a workflow takes what it adds itself. */
const TEAMS = { bytes: 24_000, value: 2_000 };

/** An Adaptive Card. Unlike a TextBlock, a TextRun has no Markdown. */
function renderTeams(content: MessageContent): string {
  const paragraph = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines });
  const run = (text: string, style: object = {}) => ({ type: 'TextRun', text, ...style });
  const title = paragraph(run(plain(headline(content), 200), { size: 'large', weight: 'bolder' }));
  const values = renderWithin(
    content.values,
    { count: 200, size: TEAMS.bytes },
    ({ name, value }) =>
      paragraph(
        run(`${plain(oneLine(name), 100)}: `, { weight: 'bolder' }),
        run(plain(value, TEAMS.value).replaceAll('\n', '\n    ')),
      ),
    (item) => Buffer.byteLength(JSON.stringify(item)) + 1,
  );
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [title, ...values],
    ...(content.link && { actions: [{ type: 'Action.OpenUrl', title: OPEN, url: content.link }] }),
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card };
  return JSON.stringify({ type: 'message', attachments: [attachment] });
}

/** Common receivers show longer texts as a file. */
const TEXT = { bytes: 3_500, value: 1_000 };

function renderText(content: MessageContent): string {
  const lines = renderWithin(
    content.values,
    { count: 200, size: TEXT.bytes },
    (value) => plainLines(value, TEXT.value),
    (line) => Buffer.byteLength(line) + 1,
  );
  const link = content.link === undefined ? [] : ['', content.link];
  return `${[plain(headline(content), 200), '', ...lines, ...link].join('\n')}\n`;
}
