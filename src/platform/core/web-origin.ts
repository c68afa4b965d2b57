/** What {@link isWebOrigin} expects, for error messages. */
export const WEB_ORIGIN_FORMAT =
  'scheme, host and, where not the default, port, in lower case and without a path, like https://forms.example.com';
/** What {@link isOrigin} expects. */
export const ORIGIN_FORMAT = `${WEB_ORIGIN_FORMAT} or capacitor://localhost`;

/** A scheme, a host and a port. A DNS name has at most 253 characters. */
const APP_ORIGIN = /^([a-z][a-z0-9+.-]{0,29}):\/\/[\w.-]{1,253}(?::\d{1,5})?$/;
/** Not of apps: their addresses are no pages, or have no origin, or that of another page. */
const OTHER_SCHEMES = ['http', 'https', 'ftp', 'ws', 'wss', 'file', 'data', 'javascript', 'blob'];

/**
 * Returns whether a text is an origin as web sites and apps send it: packaged apps and extensions
 * have schemes of their own, like `capacitor://localhost`.
 */
export function isOrigin(text: string): boolean {
  if (isWebOrigin(text)) return true;
  const [, scheme] = APP_ORIGIN.exec(text) ?? [];
  return scheme !== undefined && !OTHER_SCHEMES.includes(scheme);
}

/** Returns whether a text is the origin of a web site. `URL` accepts a star in a host name. */
export function isWebOrigin(text: string): boolean {
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/**
 * Parses an `https:` or `http:` URL. Refuses user info, backslashes, white space and control
 * characters, which browsers and `URL` may read differently.
 */
export function parseWebUrl(text: string): URL | undefined {
  if (text.length > 2_000 || /[\\\s\p{Cc}]/u.test(text) || !/^https?:\/\/[^/]/.test(text)) return undefined;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}

/** Parses a URL to which the service may send a browser: `https:`, or `http:` on localhost. */
export function parseRedirectUrl(text: string): URL | undefined {
  const url = parseWebUrl(text);
  const isLocal = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url?.protocol === 'https:' || isLocal ? url : undefined;
}

/** The longest URL of a page that is kept, in characters. */
const MAX_PAGE_URL = 500;

/**
 * Returns the URL of a page without user info, query and fragment, which often hold personal data
 * or tokens. Undefined when the rest has more than 500 characters.
 */
export function parsePageUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return origin.length + pathname.length <= MAX_PAGE_URL ? origin + pathname : undefined;
}
