const { origin } = window.location;

/** The URL that a form submits to. */
export const submitUrl = (sourceAppId: string): string => `${origin}/v1/forms/${encodeURIComponent(sourceAppId)}`;

/** The URL of the app's form as a page. */
export const formPageUrl = (sourceAppId: string): string => `${origin}/f/${encodeURIComponent(sourceAppId)}`;

/** The URL of the script that embeds and enhances forms. */
export const EMBED_SCRIPT_URL = `${origin}/embed/v1.js`;

/** The URL of the JSON Schema of the app that `x-app-id` names. */
export const JSON_SCHEMA_URL = `${origin}/v1/schema?format=json-schema`;
