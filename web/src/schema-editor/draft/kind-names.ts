import type { Kind } from '../../api/endpoints.ts';
import { serviceText } from '../../texts/service.ts';
import { FIELD_KINDS } from './rules.ts';

/** The display names of the kinds. */
export const KIND_NAMES = Object.fromEntries(
  FIELD_KINDS.map(({ name, displayName }) => [name, serviceText(displayName)]),
) as Record<Kind, string>;
