/** The URLs of the public parts of an app's form. */
export interface FormTarget {
  /** The origin of the service, without a trailing slash. */
  origin: string;
  sourceAppId: string;
}

/** The URL that a form submits to. */
export function submitUrl({ origin, sourceAppId }: FormTarget): string {
  return `${origin}/v1/forms/${encodeURIComponent(sourceAppId)}`;
}

/** The URL of the app's form as a page. */
export function formPageUrl({ origin, sourceAppId }: FormTarget): string {
  return `${origin}/f/${encodeURIComponent(sourceAppId)}`;
}

/** The URL of the script that embeds and enhances forms. */
export function embedScriptUrl({ origin }: Pick<FormTarget, 'origin'>): string {
  return `${origin}/embed/v1.js`;
}
