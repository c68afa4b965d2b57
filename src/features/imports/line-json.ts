import { InvalidInput } from '../../platform/core/errors.ts';
import { parseStrictJson } from '../../platform/http/strict-json.ts';
import type { Reason } from '../../platform/languages/reasons.ts';

/** Parses the JSON of a line, or of a cell. */
export function parseJson(text: string): { value?: unknown; problem?: Reason } {
  try {
    return { value: parseStrictJson(text, 'line') };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const { message, code, params } = error;
    return { problem: { message, code, params } };
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
