import { z } from 'zod';
import { checkStorable, STORABLE } from '../../../platform/bson/stored-json.ts';
import { code } from '../../../platform/languages/problems.ts';
import { itemsOf } from '../../../platform/text/plain-texts.ts';
import { autocomplete, help, hidden, placeholder, prefill } from '../base/form-options.ts';
import { defineKind } from '../base/kind.ts';
import { queriedNumber } from '../base/queries.ts';

const List = z.custom<unknown[]>(Array.isArray, code('notList')).check(checkStorable);

/** A list to which each submission appends items of any shape (spec 2.4). */
export const array = defineKind({
  name: 'array',
  options: {},
  formOptions: { help, placeholder, autocomplete, hidden, prefill },
  schema: () => List,
  describe: () => ({ type: 'array', items: STORABLE }),
  appendedItems: (value, now) => (value as unknown[]).map((item) => storedItem(item, now)),
  staysHidden: true,
  queried: {
    name: 'array',
    operators: ['contains', 'exists', 'empty'],
    ask: (_, [text = '']) => ({ test: { is: 'item', values: spellings(text) }, isNot: false }),
    chart: 'none',
  },
  cell: 'items',
  inWords: (value, { items }) => (Array.isArray(value) ? items(value) : undefined),
  repliedTo: 'confirmed',
  fromTexts(texts) {
    const value = itemsOf(texts);
    return value && { value };
  },
  sample: () => [{ note: 'Each item is stored with a timestamp' }],
  valueType: () => 'list',
  control: 'list',
});

/** A plain object keeps its properties; the timestamp of the service replaces one that was sent. */
function storedItem(item: unknown, timestamp: string): Record<string, unknown> {
  const isPlainObject = typeof item === 'object' && item !== null && !Array.isArray(item);
  return isPlainObject ? { ...item, timestamp } : { value: item, timestamp };
}

/** The values that a text of a query may represent. */
function spellings(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = queriedNumber(text);
  return number === undefined ? [text] : [text, number];
}
