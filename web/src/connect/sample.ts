import type { Field, Schema } from '../api/endpoints.ts';

const DATE_LENGTH = 'YYYY-MM-DD'.length;
/** Common text formats. The first one that matches a field's pattern is its example. */
const CANDIDATES = [
  'Some text',
  'ada',
  'Ada',
  'ADA',
  'ada@example.com',
  '12345',
  '1234',
  '123456',
  '+441234567890',
  'AB-1234',
  'ABC123',
  'https://example.com',
  'A',
  '1',
];

/**
 * Example values for the fields of a schema. They conform to it, except where no text matches a
 * pattern.
 */
export function sampleData({ fields }: Pick<Schema, 'fields'>): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.key, sampleValue(field)]));
}

export function sampleValue(field: Field): unknown {
  switch (field.kind) {
    case 'text':
      return sampleText(field);
    case 'checkbox':
      return true;
    case 'select':
      return field.enum[0] ?? '';
    case 'number':
      return sampleNumber(field);
    case 'date':
      return new Date().toISOString().slice(0, DATE_LENGTH);
    case 'array':
      return [{ note: 'Each item is stored with a timestamp' }];
  }
}

function sampleText({ key, minLength = 0, maxLength = 10_000, regex }: Extract<Field, { kind: 'text' }>): string {
  const preferred = /name/i.test(key) ? ['Ada Lovelace'] : [];
  const candidates = [...preferred, ...CANDIDATES].map((text) => text.padEnd(minLength, 'a').slice(0, maxLength));
  if (regex === undefined) return candidates[0] ?? '';
  // JavaScript's engine only chooses the example here; the service validates with a linear-time
  // engine. The candidates are too short for catastrophic backtracking to block the page.
  const pattern = compile(regex);
  return candidates.find((text) => pattern?.test(text)) ?? `Text that matches ${regex}`;
}

function compile(regex: string): RegExp | undefined {
  try {
    return new RegExp(regex, 'u');
  } catch {
    return undefined;
  }
}

function sampleNumber({ min, max }: Extract<Field, { kind: 'number' }>): number {
  if (min !== undefined && min > 1) return min;
  if (max !== undefined && max < 1) return max;
  return 1;
}
