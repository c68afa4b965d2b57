import { html } from 'ghtml';
import { Html } from '../../api/reply.ts';
import type { FormSettings } from '../../apps/form-settings/form-settings.ts';
import { languageOf } from './locale.ts';

/** The addresses of the files that form pages load. */
export interface PageAssets {
  script: string;
  style: string;
}

/** One page. `main` is HTML; the other texts are escaped here. */
export interface Page {
  title: string;
  main: string;
  locale?: string | undefined;
  status?: number;
  /** Loads the script that sends a form without leaving the page. */
  isForm?: boolean;
  /** Origins to which a form of this page may be redirected. */
  redirects?: readonly string[];
}

/** Returns a whole page under its own Content-Security-Policy (spec 4.5). */
export function pageReply(page: Page, assets: PageAssets): Html {
  const { title, main, locale, status = 200, isForm = false, redirects = [] } = page;
  const { lang, dir } = languageOf(locale);
  const script = isForm ? html`<script src="${assets.script}" defer></script>` : '';
  const text = html`<!doctype html>
<html lang="${lang}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${assets.style}">
!${script}
</head>
<body>
<main>
!${main}
</main>
</body>
</html>
`;
  return new Html(text, status, {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policyOf(redirects),
    // With `no-referrer` a browser sends the form with `Origin: null`.
    'Referrer-Policy': 'same-origin',
  });
}

/** Chrome checks a redirect that answers a form against `form-action`. */
function policyOf(redirects: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    ["form-action 'self'", ...redirects].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/**
 * Returns the sources of `form-action` for the redirects of an app: its origins and that of `next`.
 * `*` allows no redirect.
 * A host name may contain characters that separate directives; an origin with such a host is left
 * out, and so is one with an IPv6 address, which policies cannot name.
 */
export function redirectSources({ origins, next }: FormSettings): string[] {
  const named = [...origins, ...(next === undefined ? [] : [new URL(next).origin])];
  return [...new Set(named.filter((origin) => /^https?:\/\/[a-z0-9._-]+(?::\d+)?$/.test(origin)))];
}
