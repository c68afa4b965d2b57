import fc from 'fast-check';
import { BSON, Long, ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { changeWords, foldedTexts, readEmail, recordWords } from '../../../src/features/indexes/record-words.ts';
import { ANY_WORD, parseWords } from '../../../src/platform/text/words.ts';

const EMAIL = 'ada@x.org';
const stored = (data: unknown, more: object = {}) => BSON.serialize({ _id: 1, ...more, email: EMAIL, data });

describe('the words of a record', () => {
  it('are those of the email and of every text in data, without the times of items', () => {
    const data = {
      name: 'Chloé B.',
      age: 12,
      visits: [{ value: 'Spring', timestamp: '2026-01-31T08:30:00.000Z', more: { timestamp: 'deep' } }, 'plain'],
      raw: { timestamp: 'kept', list: [{ timestamp: 'too' }] },
    };
    const words = ['ada', 'x', 'org', 'chloe', 'b', 'spring', 'deep', 'plain', 'kept', 'too'];
    expect(recordWords(EMAIL, data)).toEqual(words);
    const { visits, ...set } = data;
    expect(new Set(changeWords(EMAIL, { set, append: { visits: visits as Record<string, unknown>[] } }))).toEqual(
      new Set(words),
    );
    expect(foldedTexts(stored(data)).split('\0')).toEqual([
      EMAIL,
      'chloe b.',
      'spring',
      'deep',
      'plain',
      'kept',
      'too',
    ]);
  });

  it('of a file are those of its name', () => {
    const file = {
      id: '01924c9e-5f3a-7c11',
      name: 'My CV.pdf',
      type: 'pdf',
      size: 9,
      sha256: 'abc123',
      infected: true,
    };
    const data = { cv: [file], other: { ...file, name: 'deep' }, list: [{ id: 'x1', sha256: 'y1' }] };
    expect(recordWords(EMAIL, { cv: [file] })).toEqual(['ada', 'x', 'org', 'my', 'cv', 'pdf']);
    const texts = [EMAIL, 'my cv.pdf', file.id, 'deep', 'pdf', 'abc123', 'x1', 'y1'];
    expect(foldedTexts(stored(data)).split('\0')).toEqual(texts);
    expect(new Set(recordWords(EMAIL, data))).toEqual(
      new Set(['ada', 'x', 'org', 'my', 'cv', 'pdf', '01924c9e', '5f3a', '7c11', 'deep', 'abc123', 'x1', 'y1']),
    );
  });

  it('are one mark when they are too many', () => {
    const many = Array.from({ length: 250 }, (_, n) => `w${n}`).join(' ');
    expect(recordWords(EMAIL, { many })).toEqual([ANY_WORD]);
    expect(changeWords(EMAIL, { set: { many }, append: {} })).toEqual([ANY_WORD]);
  });

  it('of types that the service does not store are read too', () => {
    const data = { big: Long.fromString('9007199254740993'), id: new ObjectId(), name: 'Ada' };
    expect(foldedTexts(stored(data))).toBe(`${EMAIL}\0ada`);
    expect(readEmail(stored(data, { big: Long.fromNumber(1) }))).toBe(EMAIL);
  });

  it('of a stored document are compared like those of its values', { tags: 'long' }, () => {
    const text = fc
      .array(fc.constantFrom('a', 'á', 'B', ' ', '東', '\0', '1'), { maxLength: 8 })
      .map((all) => all.join(''));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('k', 'timestamp', 'é', 'data', 'email'), tie('any'), { maxKeys: 3 }),
        fc.array(fc.record({ id: text, name: text, type: text, size: text, sha256: text }), { maxLength: 2 }),
      ),
    })).any;
    const property = fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'timestamp'), value), text, (data, query) => {
      const { matches, kept, isEmpty } = parseWords(query);
      const words = recordWords(EMAIL, data);
      const isIndexed = !isEmpty && kept.every((word) => words.some((one) => one.startsWith(word)));
      expect(matches(foldedTexts(stored(data)))).toBe(isIndexed);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
