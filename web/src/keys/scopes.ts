import type { KeyScope } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';

/** The scopes of API keys, in the order of the form. */
export const SCOPES = Object.keys(t.keys.scopes) as KeyScope[];
