import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW, validatorOf } from './cases.ts';

const INHERITED = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
const unknown = 'is not a field of this app';
const badName = 'is not a valid key: a key starts with a letter and has at most 51 letters, digits and underscores';
const badProperty =
  'has a property whose name is not allowed: names may not begin with $, contain a dot or NUL, or be reserved';

/** Parses data as the body of a request is parsed: `__proto__` is an ordinary property. */
const parsed = (json: string): Record<string, unknown> => JSON.parse(json);

describe('required', () => {
  it.each(['text', 'checkbox', 'number', 'date', 'array'] as const)('of %s means that the value is present', (kind) => {
    expect(validatorOf([{ key: 'f', kind, required: true }]).issues({})).toMatchObject([
      { path: 'data.f', message: 'is required', code: 'required' },
    ]);
  });

  it.each(INHERITED)('is not met by the inherited property %s', (key) => {
    const validator = validatorOf([{ key, kind: 'text', required: true }]);
    expect(validator.issues({})).toMatchObject([{ path: `data.${key}`, message: 'is required', code: 'required' }]);
    expect(validator.issues({ [key]: 'x' })).toEqual([]);
  });

  it('is not met by null', () => {
    expect(validatorOf([{ key: 'f', kind: 'text', required: true }]).issues({ f: null })).toHaveLength(1);
  });
});

describe('unknown keys', () => {
  it('are refused by name when rejectUnknown is true', () => {
    const { issues } = validatorOf([{ key: 'a', kind: 'text' }], true);
    expect(issues({ a: 'x', b: 1 })).toMatchObject([{ path: 'data.b', message: unknown }]);
    for (const key of INHERITED)
      expect(issues({ [key]: 1 })).toMatchObject([{ path: `data.${key}`, message: unknown }]);
    expect(issues(parsed('{"__proto__": {"admin": true}}'))).toMatchObject([
      { path: 'data.__proto__', message: unknown },
    ]);
  });

  it('are kept as sent when rejectUnknown is false', () => {
    const validator = validatorOf([]);
    const data = { b: 1, c: null, d: [1, [2]], e: { f: { g: '' } }, constructor: 'x', toString: { x: 1 } };
    expect(validator.issues(data)).toEqual([]);
    expect(validator.change(data, new Date(NOW))).toEqual({ set: data, append: {}, extraKeys: 6 });
  });

  it.each(['__proto__', '$set', 'a.b', 'a\0', '', '_a', '1', 'a b', `a${'b'.repeat(51)}`])(
    'named %j are refused',
    (key) => {
      const data = parsed(`{${JSON.stringify(key)}: {"x": 1}}`);
      expect(
        validatorOf([])
          .issues(data)
          .map(({ message }) => message),
      ).toEqual([badName]);
      expect(validatorOf([], true).issues(data)).toHaveLength(1);
    },
  );

  it.each(['$set', 'a.b', 'a\0b', '__proto__', '_bsontype'])('may not contain a property named %j', (key) => {
    const inner = `{${JSON.stringify(key)}: 1}`;
    expect(validatorOf([]).issues(parsed(`{"a": ${inner}}`))).toMatchObject([{ path: 'data.a', message: badProperty }]);
    expect(validatorOf([]).issues(parsed(`{"a": {"b": [0, ${inner}]}}`))).toMatchObject([
      { path: 'data.a.b.1', message: badProperty },
    ]);
  });
});

describe('the list of issues', () => {
  it('has at most 20', () => {
    const keys = Array.from({ length: 30 }, (_, index) => `f${index}`);
    const required = validatorOf(keys.map((key) => ({ key, kind: 'text', required: true })));
    expect(required.issues({})).toHaveLength(20);
    expect(validatorOf([], true).issues(Object.fromEntries(keys.map((key) => [key, 1])))).toHaveLength(20);
    const list = Array.from({ length: 30 }, () => ({ $a: 1 }));
    expect(validatorOf([{ key: 'list', kind: 'array' }]).issues({ list })).toHaveLength(20);
  });

  it('does not repeat a long or invalid key of a client', () => {
    const name = `<script>${'x'.repeat(5_000)}`;
    const answers = [
      validatorOf([], true).issues({ [name]: 1 }),
      validatorOf([]).issues({ [name]: 1 }),
      validatorOf([]).issues({ a: { [name]: { $b: 1 } } }),
      validatorOf([{ key: 'list', kind: 'array' }]).issues({ list: [{ [name]: { [name]: [{ $b: 1 }] } }] }),
    ];
    for (const answer of answers) {
      expect(answer).toHaveLength(1);
      expect(JSON.stringify(answer).length).toBeLessThan(400);
    }
  });
});

describe('any data', () => {
  it('is refused or becomes a change whose keys the database can store', () => {
    const validator = validatorOf([
      { key: 'list', kind: 'array' },
      { key: 'name', kind: 'text', regex: '^\\w' },
    ]);
    const key = fc.oneof(fc.constantFrom('list', 'name', '$x', '__proto__', ...INHERITED), fc.string());
    const data = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(data, (sent) => {
        const json = parsed(JSON.stringify(sent));
        if (validator.issues(json).length > 0) return;
        const { set, append } = validator.change(json, new Date(NOW));
        for (const name of [...Object.keys(set), ...Object.keys(append)]) expect(name).toMatch(/^[a-zA-Z]\w{0,50}$/);
        expect(Object.keys(set).length + Object.keys(append).length).toBe(Object.keys(json).length);
      }),
    );
  });
});
