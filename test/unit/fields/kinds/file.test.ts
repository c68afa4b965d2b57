import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../../src/core/fields/compile.ts';
import { completeDefinition, fileLimitIssues } from '../../../../src/core/fields/definition.ts';
import type { FileValue } from '../../../../src/core/fields/kinds/file.ts';
import { valueFromForm } from '../../../../src/features/display/presentation.ts';
import { FILE_TYPE_NAMES, FILE_TYPES, typeOfName } from '../../../../src/platform/text/file-types.ts';
import { describeKind, valueProblems } from '../cases.ts';

const stored = (type: FileValue['type'] = 'pdf', id = '0'): FileValue => ({
  id: `01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e5${id}`,
  name: `cv.${type}`,
  type,
  size: 12,
  sha256: 'ab'.repeat(32),
});
const token = (letter: string): string => letter.repeat(43);
const pdf = { types: ['pdf'] };

describeKind('file', {
  definitions: {
    accepted: [pdf, { types: [...FILE_TYPE_NAMES], maxFiles: 10, maxBytes: 1, help: 'Why' }],
    refused: [
      [{}, '0.types Invalid input'],
      [{ types: [] }, '0.types must list at least one type of files'],
      [{ types: ['exe'] }, '0.types.0'],
      [{ types: ['svg'] }, '0.types.0'],
      [{ ...pdf, maxFiles: 0 }, '0.maxFiles'],
      [{ ...pdf, maxFiles: 11 }, '0.maxFiles'],
      [{ ...pdf, maxFiles: 1.5 }, '0.maxFiles'],
      [{ ...pdf, maxBytes: 0 }, '0.maxBytes'],
      [{ ...pdf, indexed: true }, 'Unrecognized key'],
      [{ ...pdf, default: [] }, 'Unrecognized key'],
    ],
  },
  values: {
    accepted: [
      [pdf, [stored()]],
      [pdf, []],
      [{ types: ['pdf', 'png'], maxFiles: 2, required: true }, [stored(), stored('png', '1')]],
    ],
    refused: [
      [pdf, 'x', 'must be a list of files'],
      [pdf, null, 'must be a list of files'],
      [pdf, [1], 'must be a list of files'],
      [pdf, [{ id: 1 }], 'must be a list of files'],
      [pdf, [stored(), stored('pdf', '1')], 'must have at most 1 file'],
      [{ ...pdf, required: true }, [], 'is required'],
    ],
  },
  asSent: (value) =>
    Array.isArray(value)
      ? value.map((one, at) => (typeof one?.name === 'string' ? token(String.fromCharCode(97 + at)) : one))
      : value,
  controls: [
    [pdf, { type: 'file', attributes: { accept: '.pdf' }, files: { maxFiles: 1 } }],
    [
      { types: ['jpeg', 'png'], maxFiles: 3, required: true, help: 'Two' },
      {
        type: 'file',
        attributes: { accept: '.jpg,.jpeg,.jpe,.jfif,.png', multiple: 'multiple' },
        files: { maxFiles: 3 },
        required: true,
        help: 'Two',
      },
    ],
  ],
  texts: { converted: [[token('a'), [token('a')]]], refused: [] },
  samples: [[pdf, ['_the_token_that_the_upload_was_answered_wit']]],
  change: 'replace',
});

describe('a field of files', () => {
  it('takes files of its types alone, and names the place of another one', () => {
    expect(valueProblems({ kind: 'file', types: ['pdf', 'png'], maxFiles: 3 }, [stored(), stored('gif', '1')])).toEqual(
      ['data.f.1 must be a file of one of these types: pdf, png'],
    );
  });

  it('has the tokens of all texts of a form; an empty one alone removes all files of an optional field', () => {
    const field = completeDefinition({ key: 'f', kind: 'file', types: ['pdf'] });
    expect(valueFromForm(field, ['', token('a'), token('b')])).toEqual({ value: [token('a'), token('b')] });
    expect(valueFromForm(field, [''])).toEqual({ value: [] });
    expect(valueFromForm({ ...field, required: true }, [''])).toBeUndefined();
  });

  it('is known to the compiled validator', () => {
    const fields = [completeDefinition({ key: 'f', kind: 'file', types: ['pdf'] })];
    expect(compileSchema({ rejectUnknown: false, fields }).fileKeys).toEqual(new Set(['f']));
    expect(compileSchema({ rejectUnknown: false, fields: [] }).fileKeys).toBeUndefined();
  });

  it('cannot take larger files than the service', () => {
    const fields = [{ key: 'f', kind: 'file' as const, types: ['pdf' as const], maxBytes: 11 }];
    expect(fileLimitIssues(fields, 11)).toEqual([]);
    expect(fileLimitIssues(fields, 10)).toMatchObject([{ path: 'fields.0.maxBytes', code: 'aboveFileLimit' }]);
  });
});

describe('the type of a name', () => {
  it.each([
    ['cv.pdf', 'pdf'],
    ['CV.PDF', 'pdf'],
    ['a.b.JPeG', 'jpeg'],
    ['cv.pdf.exe', undefined],
    ['pdf', undefined],
    ['cv.', undefined],
    ['cv.constructor', undefined],
  ])('of %s is %s', (name, type) => expect(typeOfName(name)).toBe(type));

  it('is the only one of its extension', () => {
    const extensions = FILE_TYPE_NAMES.flatMap((type) => [...FILE_TYPES[type].extensions]);
    expect(new Set(extensions).size).toBe(extensions.length);
  });
});
