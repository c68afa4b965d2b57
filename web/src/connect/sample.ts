import type { Field, Schema } from '../api/endpoints.ts';

const TODAY_LENGTH = 'YYYY-MM-DD'.length;
/** Texts of common forms: the first that a pattern takes is the example. */
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

/** Values for the fields of a schema that it accepts, as far as can be told without running its patterns. */
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
      return new Date().toISOString().slice(0, TODAY_LENGTH);
    case 'array':
      return [{ note: 'each item is kept with the time it came' }];
  }
}

function sampleText({ key, minLength = 0, maxLength = 10_000, regex }: Extract<Field, { kind: 'text' }>): string {
  const likely = /name/i.test(key) ? ['Ada Lovelace'] : [];
  const fitting = [...likely, ...CANDIDATES].map((text) => text.padEnd(minLength, 'a').slice(0, maxLength));
  if (regex === undefined) return fitting[0] ?? '';
  // Only to choose an example: the service runs patterns with an engine of its own. A short one cannot hold the page.
  const pattern = compile(regex);
  return fitting.find((text) => pattern?.test(text)) ?? `a text that matches ${regex}`;
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
