/** The origin of a packaged app or an extension, which the service takes as it is. */
const OF_APP =
  /^(?!(?:https?|ftp|wss?|file|data|javascript|blob):)[a-z][a-z0-9+.-]{0,29}:\/\/[\w.-]{1,253}(?::\d{1,5})?$/;

/**
 * Returns the origin of an address such as `example.com/contact` or `capacitor://localhost`;
 * undefined for other texts.
 */
export function originOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (OF_APP.test(trimmed)) return trimmed;
  if (trimmed === '' || /[\s*]/.test(trimmed)) return undefined;
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `${defaultScheme(trimmed)}://${trimmed}`;
  if (!URL.canParse(withScheme)) return undefined;
  const { origin, protocol, hostname } = new URL(withScheme);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && (hostname.includes('.') || isLocal(hostname)) ? origin : undefined;
}

/** The same address with or without `www.`, which is another origin. */
export function siblingOf(origin: string): string | undefined {
  const { protocol, host, hostname } = new URL(origin);
  if (!protocol.startsWith('http') || isLocal(hostname) || /^[\d.]+$/.test(hostname)) return undefined;
  if (hostname.startsWith('www.')) return `${protocol}//${host.slice('www.'.length)}`;
  return hostname.split('.').length === 2 ? `${protocol}//www.${host}` : undefined;
}

/** Whether people can be sent to an origin: by https, or to their own computer. */
export function isRedirectable(origin: string): boolean {
  return origin.startsWith('https://') || (origin.startsWith('http://') && isLocal(new URL(origin).hostname));
}

function defaultScheme(text: string): 'http' | 'https' {
  return isLocal(text.split(/[:/]/)[0] ?? '') ? 'http' : 'https';
}

/** Whether a host is the computer that asks for it. */
export function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}
