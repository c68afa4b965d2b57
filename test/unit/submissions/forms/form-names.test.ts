import { describe, expect, it } from 'vitest';
import { FormEntries } from '../../../../src/features/form-bodies/form-body.ts';
import { readForm } from '../../../../src/features/forms/form-submission.ts';

const read = (entries: readonly (readonly [string, string])[], fieldKeys: string[] = []) =>
  readForm(new FormEntries(entries), new Set(fieldKeys));

describe('spec 4.5, honeypots', () => {
  it.each(['_gotcha', '_honey', '_honeypot', 'botcheck', 'bot-field'])('%s is one when it is filled', (name) => {
    expect(read([[name, 'x']])).toMatchObject({ isTrapped: true, data: new Map() });
    expect(read([[name, '']])).toMatchObject({ isTrapped: false, data: new Map() });
    expect(read([[name, ' ']])).toMatchObject({ isTrapped: false });
  });

  it('botcheck is none when the schema has a field of that name', () => {
    expect(read([['botcheck', 'on']], ['botcheck'])).toMatchObject({
      isTrapped: false,
      data: new Map([['botcheck', { texts: ['on'], isList: false }]]),
    });
  });
});

describe('spec 4.5, control names', () => {
  it.each([
    ['_next', 'next'],
    ['_redirect', 'next'],
    ['redirect', 'next'],
    ['_error', 'error'],
    ['_key', 'key'],
    ['_tz', 'timeZone'],
    ['_charset_', 'charset'],
    ['altcha', 'altcha'],
  ])('%s is the control %s, of which the last value that is not empty counts', (name, control) => {
    const entries = [
      [name, 'first'],
      [name, 'last'],
      [name, ''],
    ] as const;
    expect(read(entries)).toMatchObject({ controls: { [control]: 'last' }, data: new Map() });
  });

  it('a field of the schema is data under data[...] whatever its name is', () => {
    const names = ['email', 'altcha', 'redirect', 'data', 'botcheck'];
    const { data, controls, email, isTrapped } = read(names.map((name) => [`data[${name}]`, 'x']));
    expect([...data.keys()]).toEqual(names);
    expect({ controls, email, isTrapped }).toEqual({ controls: {}, email: undefined, isTrapped: false });
  });

  it('names of the prototype of objects are ordinary names', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', '__proto__'];
    expect([...read(names.map((name) => [name, 'x'])).data.keys()]).toEqual(names);
  });
});
