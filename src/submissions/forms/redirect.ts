import type { FormSettings } from '../../apps/form-settings/form-settings.ts';
import { parseRedirectUrl, parseWebUrl } from '../../core/web-origin.ts';

/** The request that asks for a redirect. */
export interface RedirectContext {
  sourceAppId: string;
  settings: Pick<FormSettings, 'origins'>;
  /** The header `Origin`. */
  origin: string | undefined;
  /** Whether that is the service's own origin, as for the hosted form. */
  isOwnOrigin: boolean;
}

/** What {@link redirectTarget} expects, for error messages. */
export const REDIRECT_FORMAT =
  'must be a URL of an origin that the app lists, or a path of the site that sends the form';

const MAX_PATH_LENGTH = 2_000;

/**
 * Returns the URL to which a form asks to send the browser (`_next`, `_error`), if that is allowed
 * (spec 4.5); else undefined. `*` in the origins of an app lists no origin here: everybody could
 * send people from this service to any site.
 */
export function redirectTarget(text: string, context: RedirectContext): string | undefined {
  const { sourceAppId, settings, isOwnOrigin } = context;
  const url = isPath(text) ? urlOfPath(text, context) : parseRedirectUrl(text);
  if (!url) return undefined;
  if (settings.origins.includes(url.origin)) return url.href;
  // The hosted form may name its own pages only.
  const form = formPath(sourceAppId);
  const isOfForm = url.pathname === form || url.pathname.startsWith(`${form}/`);
  return isPath(text) && isOwnOrigin && isOfForm ? `${url.pathname}${url.search}${url.hash}` : undefined;
}

/** A redirect that is not allowed. */
export interface IgnoredRedirect {
  /** The address for a form that is sent again, from another origin. */
  text: string;
  /** Where it would lead, for the operators: an origin, or `null` for a text without one. */
  origin: string;
}

/** Describes a redirect for which {@link redirectTarget} returned nothing. */
export function ignoredRedirect(text: string, context: RedirectContext): IgnoredRedirect {
  const url = isPath(text) ? urlOfPath(text, context) : parseWebUrl(text);
  return { text: url?.href ?? text, origin: url?.origin ?? 'null' };
}

/**
 * The path where a browser goes when neither the form nor the app names a URL.
 * @param isHeld whether the page says that the entries are looked at first
 */
export function thanksPath(sourceAppId: string, isHeld = false): string {
  return `${formPath(sourceAppId)}/thanks${isHeld ? '?held=1' : ''}`;
}

const formPath = (sourceAppId: string): string => `/f/${encodeURIComponent(sourceAppId)}`;

const isPath = (text: string): boolean => text.startsWith('/');

/** The URL of a path on the site that sends the form. */
function urlOfPath(path: string, { origin }: RedirectContext): URL | undefined {
  if (path.length > MAX_PATH_LENGTH || path.startsWith('//') || /[\\\s\p{Cc}]/u.test(path)) return undefined;
  if (origin === undefined || !URL.canParse(path, origin)) return undefined;
  const url = new URL(path, origin);
  return url.origin === origin ? url : undefined;
}
