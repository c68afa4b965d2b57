import { html } from 'ghtml';
import { linesOf } from './plain-text.ts';

const MAX_PARAGRAPH = 2_000;
const MAX_NAME = 200;
/** Longer values are cut. */
export const MAX_VALUE = 500;

/** A part of an email. Its texts are plain: the HTML escapes them. */
export type Block =
  | { text: string }
  /** A link of the service, under the text that names it. */
  | { link: string; label: string }
  /** Values that somebody entered, each with its name. */
  | { values: readonly { name: string; value: string }[] };

/** The two forms of an email's content. */
export interface Content {
  text: string;
  html: string;
}

const STYLE = {
  body: 'margin:0;padding:24px;font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1b1f24;background:#ffffff',
  main: 'max-width:560px;margin:0 auto',
  heading: 'margin:0 0 16px;font-size:20px;line-height:1.3',
  paragraph: 'margin:0 0 16px',
  button:
    'display:inline-block;padding:10px 18px;border-radius:8px;background:#1f5fd6;color:#ffffff;text-decoration:none;font-weight:600',
  name: 'margin:0;font-weight:600',
  value: 'margin:0 0 12px;white-space:pre-wrap;overflow-wrap:anywhere',
  plain: 'color:inherit;text-decoration:none',
};

/**
 * Returns an email as plain text and as HTML. The text of the service is English.
 *
 * A submitted value is text in both. In the plain text it is indented, so it cannot look like a
 * line of the service. In the HTML it is in an anchor without an address, because mail programs
 * make links of addresses only outside of anchors.
 */
export function contentOf(heading: string, blocks: readonly Block[]): Content {
  return { text: textOf(heading, blocks), html: htmlOf(heading, blocks) };
}

function textOf(heading: string, blocks: readonly Block[]): string {
  const parts = blocks.map((block) => {
    if ('text' in block) return linesOf(block.text, MAX_PARAGRAPH).join('\n');
    if ('link' in block) return `${block.label}:\n${block.link}`;
    return block.values
      .map(({ name, value }) => {
        const indented = linesOf(value, MAX_VALUE).map((line) => `    ${line}`);
        return [linesOf(name, MAX_NAME).join(' '), ...indented].join('\n');
      })
      .join('\n\n');
  });
  return `${[linesOf(heading, MAX_PARAGRAPH).join(' '), ...parts].join('\n\n')}\n`;
}

function htmlOf(heading: string, blocks: readonly Block[]): string {
  const parts = blocks.map((block) => {
    if ('text' in block)
      return html`<p style="${STYLE.paragraph}">${linesOf(block.text, MAX_PARAGRAPH).join('\n')}</p>`;
    if ('link' in block) {
      return html`<p style="${STYLE.paragraph}"><a href="${block.link}" style="${STYLE.button}">${block.label}</a></p>`;
    }
    const values = block.values.map(
      ({ name, value }) =>
        html`<p style="${STYLE.name}" dir="auto"><a style="${STYLE.plain}">${linesOf(name, MAX_NAME).join(' ')}</a></p>
<p style="${STYLE.value}" dir="auto"><a style="${STYLE.plain}">${linesOf(value, MAX_VALUE).join('\n')}</a></p>`,
    );
    return html`<div>!${values.join('\n')}</div>`;
  });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
</head>
<body style="${STYLE.body}">
<div style="${STYLE.main}">
<h1 style="${STYLE.heading}">${linesOf(heading, MAX_PARAGRAPH).join(' ')}</h1>
!${parts.join('\n')}
</div>
</body>
</html>
`;
}
