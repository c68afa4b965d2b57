import { html } from 'ghtml';

const MAX_PARAGRAPH = 2_000;
const MAX_NAME = 200;
/** Longer values are cut. */
const MAX_VALUE = 500;

/** A part of an email. Its texts are plain: the HTML escapes them. */
export type Block =
  /** @property max the most characters; default 2,000 */
  | { text: string; max?: number }
  | { link: string; label: string }
  /** Submitted values, each with its name, which may have HTML of its own; or names only. */
  | { values: readonly { name: string; nameHtml?: string | undefined; value?: string | undefined }[] };

/** The language of the texts of an email, the colors of its buttons and the images above it. */
interface MailPage {
  lang: string;
  dir: 'ltr' | 'rtl';
  button?: { accent: string; onAccent: string } | undefined;
  /** With absolute addresses. */
  images?: readonly { class: 'cover' | 'logo'; src: string; alt: string }[];
}
const ENGLISH: MailPage = { lang: 'en', dir: 'ltr' };
const BUTTON = { accent: '#1f5fd6', onAccent: '#ffffff' };

const STYLE = {
  body: 'margin:0;padding:24px;font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1b1f24;background:#ffffff',
  main: 'max-width:560px;margin:0 auto',
  heading: 'margin:0 0 16px;font-size:20px;line-height:1.3',
  paragraph: 'margin:0 0 16px;white-space:pre-line;overflow-wrap:anywhere',
  button: ({ accent, onAccent }: typeof BUTTON) =>
    `display:inline-block;padding:10px 18px;border-radius:8px;background:${accent};color:${onAccent};text-decoration:none;font-weight:600`,
  images: {
    cover: 'display:block;width:100%;height:auto;margin:0 0 16px;border-radius:8px',
    logo: 'display:block;max-width:240px;max-height:80px;width:auto;height:auto;margin:0 0 16px',
  },
  values: 'margin:0 0 16px',
  name: 'margin:0;font-weight:600',
  value: 'margin:0 0 12px;white-space:pre-wrap;overflow-wrap:anywhere',
  plain: 'color:inherit;text-decoration:none',
};

/**
 * Returns an email as plain text and as HTML. A submitted value is indented in the plain text, so
 * that it cannot look like a line of the service. In the HTML it is in an anchor without an
 * address, because mail programs turn addresses into links only outside of anchors.
 */
export function renderContent(heading: string, blocks: readonly Block[], page = ENGLISH) {
  return { text: renderText(heading, blocks), html: renderHtml(heading, blocks, page) };
}

function renderText(heading: string, blocks: readonly Block[]): string {
  const parts = blocks.map((block) => {
    if ('text' in block) return splitLines(block.text, block.max ?? MAX_PARAGRAPH).join('\n');
    if ('link' in block) return `${block.label}:\n${block.link}`;
    return block.values
      .map(({ name, value }) => {
        const lines = value === undefined ? [] : shownLines(value);
        return [splitLines(name, MAX_NAME).join(' '), ...lines.map((line) => `    ${line}`)].join('\n');
      })
      .join('\n\n');
  });
  return `${[splitLines(heading, MAX_PARAGRAPH).join(' '), ...parts].join('\n\n')}\n`;
}

function renderHtml(
  heading: string,
  blocks: readonly Block[],
  { lang, dir, button = BUTTON, images = [] }: MailPage,
): string {
  const shown = images.map(
    (image) => html`<img src="${image.src}" alt="${image.alt}" style="${STYLE.images[image.class]}">\n`,
  );
  const parts = blocks.map((block) => {
    if ('text' in block)
      return html`<p style="${STYLE.paragraph}">${splitLines(block.text, block.max ?? MAX_PARAGRAPH).join('\n')}</p>`;
    if ('link' in block) {
      return html`<p style="${STYLE.paragraph}"><a href="${block.link}" style="${STYLE.button(button)}">${block.label}</a></p>`;
    }
    const values = block.values.map(({ name, nameHtml, value }) => {
      const shown =
        value === undefined
          ? ''
          : html`
<p style="${STYLE.value}" dir="auto"><a style="${STYLE.plain}">${shownLines(value).join('\n')}</a></p>`;
      return html`<p style="${STYLE.name}" dir="auto">!${nameHtml ?? html`<a style="${STYLE.plain}">${splitLines(name, MAX_NAME).join(' ')}</a>`}</p>!${shown}`;
    });
    return html`<div style="${STYLE.values}">!${values.join('\n')}</div>`;
  });
  return html`<!doctype html>
<html lang="${lang}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
</head>
<body style="${STYLE.body}" dir="${dir}">
<div style="${STYLE.main}">
!${shown.join('')}<h1 style="${STYLE.heading}">${splitLines(heading, MAX_PARAGRAPH).join(' ')}</h1>
!${parts.join('\n')}
</div>
</body>
</html>
`;
}

/** Control and direction characters, with which a value could look like text of the service. */
const DISRUPTIVE = /[\p{Cc}\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069\u2028\u2029]/gu;

/** Returns a text as one line of at most `max` characters, without control characters. */
export function oneLine(text: string, max: number): string {
  return cut(text.replace(DISRUPTIVE, ' ').replace(/\s+/g, ' ').trim(), max);
}

/** Returns the lines of a submitted value as people read it. */
export const shownLines = (value: string): string[] => splitLines(value, MAX_VALUE);

/** Returns the lines of a text, of at most `max` characters, without control characters. */
export function splitLines(text: string, max: number): string[] {
  return cut(text, max)
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replace(DISRUPTIVE, ' '));
}

/** Cuts a text to at most `max` characters (code points, as settings count) and marks the cut. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // A character has at most two units, so more of them are more than `max` characters.
  const start = Array.from(text.slice(0, 2 * max + 2));
  return start.length <= max ? text : `${start.slice(0, max - 1).join('')}…`;
}
