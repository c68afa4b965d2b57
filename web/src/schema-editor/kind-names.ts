import type { Kind } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';

/** The display names of the kinds. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = t.schemaEditor.kinds;
