import { crc32 } from 'node:zlib';
import { ObjectId } from 'mongodb';
import type { RecordPart } from '../../core/users/record-part.ts';
import { type DocumentOf, only, schema } from '../../platform/database/mongoose.ts';

/** The import that created a record, and the checksum of `data` at that time. */
const originSchema = schema({ id: { type: ObjectId, required: true }, sum: { type: Number, required: true } });
type Origin = DocumentOf<typeof originSchema>;

/**
 * The last import and line that wrote a record. A line with its own mark was applied before. An
 * update by an import requires that the mark has not changed.
 */
const importMarkSchema = schema({
  id: ObjectId,
  line: Number,
  result: only<'created' | 'updated'>(String),
  /** Of `created`: the checksum of `data`. */
  sum: Number,
  /** Of `updated`: what the mark of the line that created the record said. */
  origin: originSchema,
  /** Set by a run that took over: no update of the earlier run matches. */
  fence: ObjectId,
});
type ImportMark = DocumentOf<typeof importMarkSchema>;
export type LineMark = Required<Pick<ImportMark, 'id' | 'line' | 'result'>>;

declare module '../../core/users/users.model.ts' {
  interface UserDocument {
    import?: ImportMark;
  }
}

/** The mark of imports in a record. Only their lines write it. */
export const importPart: RecordPart = { name: 'import', members: { import: importMarkSchema }, under: () => undefined };

/** The checksum of the values of a record. It depends on the order of the keys. */
const checksumOf = (data: Readonly<Record<string, unknown>>): number => crc32(JSON.stringify(data));

/** The mark of a line that creates a record with these values. */
export const createdMark = (id: ObjectId, line: number, data: Readonly<Record<string, unknown>>): ImportMark => ({
  id,
  line,
  result: 'created',
  sum: checksumOf(data),
});

/** The mark of a line that updates a record with an earlier mark. */
export function updatedMark(id: ObjectId, line: number, before: ImportMark | undefined): ImportMark {
  const origin = originOf(before);
  return { id, line, result: 'updated', ...(origin && { origin }) };
}

function originOf({ id, result, sum, origin }: ImportMark = {}): Origin | undefined {
  return result === 'created' && id && sum !== undefined ? { id, sum } : origin;
}

/** Returns the checksum of `data` when this import created the record; undefined: it did not. */
export function createdBy(mark: ImportMark | undefined, importId: ObjectId): number | undefined {
  const origin = originOf(mark);
  return origin?.id.equals(importId) ? origin.sum : undefined;
}

/** Expressions of an aggregation: whether a record names an import, and whether it created it. */
export function markExpressions(importId: ObjectId): { names: object; created: object } {
  const isLast = { $eq: ['$import.id', importId] };
  const isOrigin = { $eq: ['$import.origin.id', importId] };
  const isCreator = { $and: [isLast, { $eq: ['$import.result', 'created'] }] };
  return { names: { $or: [isLast, isOrigin] }, created: { $or: [isCreator, isOrigin] } };
}

/** Whether a record has the values that a line created it with. */
export const isAsCreated = (data: Readonly<Record<string, unknown>>, sum: number): boolean => checksumOf(data) === sum;
