import type { FormSettings } from '../../apps/form-settings/form-settings.ts';
import { parseRedirectUrl } from '../../core/web-origin.ts';

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
  if (text.startsWith('/')) return pathTarget(text, context);
  const url = parseRedirectUrl(text);
  return url && context.settings.origins.includes(url.origin) ? url.href : undefined;
}

/** The path where a browser goes when neither the form nor the app names a URL. */
export function thanksPath(sourceAppId: string): string {
  return `${formPath(sourceAppId)}/thanks`;
}

const formPath = (sourceAppId: string): string => `/f/${encodeURIComponent(sourceAppId)}`;

function pathTarget(path: string, context: RedirectContext): string | undefined {
  const { sourceAppId, settings, origin, isOwnOrigin } = context;
  if (path.length > MAX_PATH_LENGTH || path.startsWith('//') || /[\\\s\p{Cc}]/u.test(path)) return undefined;
  if (origin === undefined || !URL.canParse(path, origin)) return undefined;
  const url = new URL(path, origin);
  if (url.origin !== origin) return undefined;
  if (settings.origins.includes(origin)) return url.href;
  // The hosted form may name its own pages only.
  const form = formPath(sourceAppId);
  const isOfForm = url.pathname === form || url.pathname.startsWith(`${form}/`);
  return isOwnOrigin && isOfForm ? `${url.pathname}${url.search}${url.hash}` : undefined;
}
