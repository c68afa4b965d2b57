import { html } from 'ghtml';
import type { CaptchaProvider } from '../../platform/core/config.ts';
import { Html } from '../../platform/http/reply.ts';
import type { Language } from '../../platform/languages/languages.ts';
import { baseLanguage } from '../../platform/languages/tags.ts';
import { CAPTCHA_WIDGETS, captchaScript } from '../display/captcha.ts';
import type { Markup, MarkupNode } from '../display/markup.ts';
import { type ImageName, imageMarkup, themePath, withPreset } from '../display/theme.ts';
import type { FormTheme } from '../form-settings/appearance.ts';
import type { FormSettings } from '../form-settings/form-settings.ts';

export interface PageAssets {
  script: string;
  /** The module of forms with pages or conditions. */
  steps: string;
  style: string;
}

export const DEFAULT_ASSETS: PageAssets = {
  script: '/embed/v1.js',
  steps: '/embed/v1-steps.js',
  style: '/embed/v1.css',
};

/** One page. `main` is HTML; the other texts are escaped here. */
export interface Page {
  title: string;
  main: string;
  language: Language;
  status?: number;
  /** Whether the page loads the script that sends a form. */
  isForm?: boolean;
  /** Whether that form has pages or conditions. */
  hasSteps?: boolean;
  /** Origins to which a form may be redirected. */
  redirects?: readonly string[];
  /** Has the appearance of this form. */
  look?: FormLook | undefined;
  /** The provider whose challenge the page shows. */
  captcha?: CaptchaProvider | undefined;
  /** Its address is a secret: the page names it to no other one, and no search engine lists it. */
  isPrivate?: boolean;
}

/** What decides on the appearance of a form. */
export interface FormLook {
  sourceAppId: string;
  settings: Pick<FormSettings, 'theme'>;
}

/** Returns a whole page under its own Content-Security-Policy (spec 4.5). */
export function pageReply(page: Page, assets: PageAssets): Html {
  const { title, main, language, status = 200, redirects = [], look, captcha, isPrivate = false } = page;
  const own = scriptsOf(page, assets);
  const script = captcha ? `${own}\n${toHtml([captchaScript(captcha)])}` : own;
  const { theme } = look?.settings ?? {};
  const { scheme = 'auto' } = withPreset(theme ?? {});
  const images = look ? formImages(look) : [];
  const style = theme ? `\n${html`<link rel="stylesheet" href="${themePath(theme)}">`}` : '';
  const text = html`<!doctype html>
<html lang="${language.tag}" dir="${language.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${scheme === 'auto' ? 'light dark' : scheme}">
<title>${title}</title>
<link rel="stylesheet" href="${assets.style}">!${style}
!${script}
</head>
<body>
<main>
!${toHtml(images.map((image) => imageMarkup(image, scheme)))}!${main}
</main>
</body>
</html>
`;
  const headers = {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': pagePolicy(redirects, captcha, images.length > 0),
    // With `no-referrer` a browser sends the form with `Origin: null`.
    'Referrer-Policy': isPrivate ? 'no-referrer' : 'same-origin',
    ...(isPrivate && { 'X-Robots-Tag': 'noindex' }),
  };
  return new Html(text, status, headers, language.tag);
}

/**
 * A form with pages or conditions waits for its script, which has to hide what does not count
 * before the form is painted. If the script does not load, everything is shown.
 */
function scriptsOf({ isForm = false, hasSteps = false }: Page, assets: PageAssets): string {
  if (!isForm) return '';
  if (!hasSteps) return html`<script src="${assets.script}" defer></script>`;
  return html`<link rel="modulepreload" href="${assets.steps}"><script src="${assets.script}" data-marks></script>`;
}

/** Chrome checks a redirect that answers a form against `form-action`. */
function pagePolicy(redirects: readonly string[], captcha: CaptchaProvider | undefined, hasImages: boolean): string {
  const sources = captcha ? CAPTCHA_WIDGETS[captcha].sources : undefined;
  return [
    "default-src 'none'",
    ["style-src 'self'", ...(sources?.['style-src'] ?? [])].join(' '),
    ["script-src 'self'", ...(sources?.['script-src'] ?? [])].join(' '),
    ...(hasImages ? ["img-src 'self'"] : []),
    ...(sources ? [`frame-src ${sources['frame-src'].join(' ')}`] : []),
    ["connect-src 'self'", ...(sources?.['connect-src'] ?? [])].join(' '),
    ["form-action 'self'", ...redirects].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/**
 * Returns the sources of `form-action` for the redirects of an app: its origins and that of `next`,
 * without `*`, hosts with characters that separate directives, and IPv6 addresses.
 */
export function redirectSources({ origins, next }: FormSettings): string[] {
  const named = [...origins, ...(next === undefined ? [] : [new URL(next).origin])];
  return [...new Set(named.filter((origin) => /^https?:\/\/[a-z0-9._-]+(?::\d+)?$/.test(origin)))];
}

export const formPath = (sourceAppId: string): string => `/f/${encodeURIComponent(sourceAppId)}`;

/** An image above a form. Its class is its name. */
interface ShownImage {
  class: Exclude<ImageName, 'logoDark'>;
  /** A path. */
  src: string;
  alt: string;
  /** The path of the version for dark backgrounds. */
  dark?: string;
}

/** Returns the images of a form in their order. The cover decorates. */
export function formImages({ sourceAppId, settings: { theme = {} } }: FormLook): ShownImage[] {
  const { logo, logoDark, logoAlt = '', cover }: FormTheme = theme;
  const pathOf = (name: ImageName, hash: string) => `${formPath(sourceAppId)}/images/${name}?v=${hash}`;
  return [
    ...(cover ? [{ class: 'cover' as const, src: pathOf('cover', cover.hash), alt: '' }] : []),
    ...(logo
      ? [
          {
            class: 'logo' as const,
            src: pathOf('logo', logo.hash),
            alt: logoAlt,
            ...(logoDark && { dark: pathOf('logoDark', logoDark.hash) }),
          },
        ]
      : []),
  ];
}

/** The path of the page that asks for a link to one's own entry. */
export const askPath = (sourceAppId: string, lang?: string): string =>
  `${formPath(sourceAppId)}/entry${lang === undefined ? '' : `?lang=${lang}`}`;

/** The path of the page after a submission without a redirect. */
export function thanksPath(sourceAppId: string, { held, lang }: { held?: boolean; lang?: string | undefined }): string {
  const query = new URLSearchParams({ ...(held && { held: '1' }), ...(lang !== undefined && { lang }) }).toString();
  return `${formPath(sourceAppId)}/thanks${query && `?${query}`}`;
}

/** Returns the HTML of an element in two parts, between which more content fits. */
export function aroundContent(element: Markup): [start: string, end: string] {
  const end = `</${element[0]}>`;
  return [elementHtml(element).slice(0, -end.length), end];
}

const VOID = new Set(['img', 'input', 'source']);

/** Returns the HTML of form elements, with escaped texts and attributes. */
export function toHtml(nodes: readonly MarkupNode[]): string {
  let text = '';
  for (const node of nodes) text += typeof node === 'string' ? html`${node}` : elementHtml(node);
  return text;
}

function elementHtml([tag, attributes, ...children]: Markup): string {
  const start = `<${tag}${attributesHtml(attributes)}>`;
  if (VOID.has(tag)) return start;
  // The HTML parser removes a line break that follows this tag.
  return `${start}${tag === 'textarea' ? '\n' : ''}${toHtml(children)}</${tag}>`;
}

function attributesHtml(attributes: Markup[1]): string {
  let text = '';
  for (const name in attributes) {
    const value = attributes[name];
    if (value === undefined || value === false) continue;
    text += value === true ? ` ${name}` : html` !${name}="${value}"`;
  }
  return text;
}

/** The attributes of a text of the service on a page in a language that the service has not. */
export function ownLanguage(language: Language): string {
  return attributesHtml(ownLanguageAttributes(language));
}

export function ownLanguageAttributes({ tag, own }: Language): Markup[1] {
  return baseLanguage(tag) === own ? {} : { lang: own, dir: 'ltr' };
}
