import { describe, expect, it } from 'vitest';
import { describeKind, NOW, validatorOf } from '../cases.ts';

describeKind('array', {
  definitions: {
    accepted: [
      {},
      { required: true },
      { help: 'Why', placeholder: 'Tag', autocomplete: 'off', hidden: true, prefill: true },
    ],
    refused: [
      [{ items: { kind: 'text' } }, 'Unrecognized key'],
      [{ default: [] }, 'Unrecognized key'],
      [{ ui: 'textarea' }, 'Unrecognized key'],
      [{ source: 'page' }, 'Unrecognized key'],
    ],
  },
  values: {
    accepted: [
      [{}, []],
      [{ required: true }, []],
      [{}, ['a', 1, true, null, [], {}, { deep: [{ er: 1 }] }]],
      [{}, [{ 'a b': 1, 'x-y': 2, constructor: 3, toString: 4, a$: 5 }]],
    ],
    refused: [
      [{}, 'a', 'must be an array'],
      [{}, { 0: 'a' }, 'must be an array'],
      [{}, null, 'must be an array'],
    ],
  },
  controls: [
    [{}, { type: 'list' }],
    [{ placeholder: 'Tag' }, { type: 'list', attributes: { placeholder: 'Tag' } }],
  ],
  texts: {
    converted: [
      ['a', ['a']],
      [' a ', [' a ']],
      ['[1]', ['[1]']],
    ],
    refused: [],
  },
  samples: [[{}, [{ note: 'Each item is stored with a timestamp' }]]],
  change: 'append',
});

describe('array items (spec 2.4)', () => {
  const validator = validatorOf([{ key: 'list', kind: 'array' }]);
  const badProperty =
    'has a property whose name is not allowed: names may not begin with $, contain a dot or NUL, or be reserved';

  it.each<[unknown, unknown]>([
    [{ a: 1 }, { a: 1, timestamp: NOW }],
    [{}, { timestamp: NOW }],
    [
      { timestamp: 'mine', value: 0 },
      { timestamp: NOW, value: 0 },
    ],
    ['a', { value: 'a', timestamp: NOW }],
    [0, { value: 0, timestamp: NOW }],
    [false, { value: false, timestamp: NOW }],
    [null, { value: null, timestamp: NOW }],
    [[1, 2], { value: [1, 2], timestamp: NOW }],
  ])('%j is stored as %j', (item, stored) => {
    expect(validator.change({ list: [item] }, new Date(NOW))).toEqual({
      set: {},
      append: { list: [stored] },
      extraKeys: 0,
    });
  });

  it('keep their order; other fields replace', () => {
    expect(validator.change({ list: ['b', 'a'], name: 'x' }, new Date(NOW))).toEqual({
      set: { name: 'x' },
      append: {
        list: [
          { value: 'b', timestamp: NOW },
          { value: 'a', timestamp: NOW },
        ],
      },
      extraKeys: 1,
    });
  });

  it.each(['$where', 'a.b', 'a\0', '__proto__', '_bsontype'])('may have no property named %j', (key) => {
    const data = JSON.parse(`{"list": ["ok", {${JSON.stringify(key)}: 1}]}`);
    expect(validator.issues(data)).toMatchObject([{ path: 'data.list.1', message: badProperty }]);
  });

  it('do not alter what was sent', () => {
    const item = { a: 1 };
    validator.change({ list: [item] }, new Date(NOW));
    expect(item).toEqual({ a: 1 });
  });
});
