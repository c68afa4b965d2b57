import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { type AppError, TooLarge, Unavailable } from '../core/errors.ts';

const DUPLICATE_KEY = 11_000;

/** The document would exceed MongoDB's limit of 16 MB, before or after (17419) an update. */
const TOO_LARGE = new Set<unknown>([10_334, 17_419, 17_420]);

/** Stepping down, shutting down, interrupted, not primary, time limit exceeded, disk full. */
const TRANSIENT = new Set<unknown>([
  6, 7, 50, 64, 89, 91, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_388, 13_435, 13_436, 14_031,
]);

/** Errors of a closed socket. The driver does not wrap them for a large command. */
const SOCKET_ERRORS = new Set<unknown>(['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED']);

/** Each write of an unordered bulk write either took effect or was refused by a unique index. */
export function isOnlyDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return false;
  const failures = [error.writeErrors].flat();
  return failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
}

const hasCode =
  (...codes: unknown[]) =>
  (error: unknown): boolean =>
    codes.includes(errorCode(error));

/** A unique index refused the write. */
export const isDuplicateKey = hasCode(DUPLICATE_KEY);

/** The index that a query names does not exist (BadValue). */
export const isMissingHint = hasCode(2);

/** An update operator met a stored value of the wrong type, such as `$push` a string (BadValue). */
export const isTypeMismatch = hasCode(2);

/** An upsert's `$setOnInsert` names a path below a value that is no document (PathNotViable). */
export const isRefusedCreation = hasCode(28);

/** The statement exceeded its `maxTimeMS` (MaxTimeMSExpired). */
export const isOverTime = hasCode(50);

/** Nothing is between the bounds `min` and `max` of a query. */
export const isEmptyRange = hasCode(51_175);

/** No server could be reached. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof MongoServerSelectionError || error instanceof MongoNetworkError;
}

/** Maps a database error to the error for clients; undefined for any other, which is a bug. */
export function databaseRefusal(error: unknown): AppError | undefined {
  // The error of `untilEnded`.
  if (error instanceof Unavailable) return error;
  if (TOO_LARGE.has(errorCode(error))) return new TooLarge('recordTooLarge');
  return isTransient(error) ? new Unavailable() : undefined;
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof MongoError))
    return error instanceof Error && SOCKET_ERRORS.has((error as { code?: unknown }).code);
  // Errors of the network, server selection, the pool or the topology.
  if (!(error instanceof MongoServerError)) return true;
  // The driver drops the class of such an error when it was that of a whole bulk write.
  if (error instanceof MongoBulkWriteError && error.code === undefined) return [error.writeErrors].flat().length === 0;
  return (
    error instanceof MongoWriteConcernError || TRANSIENT.has(error.code) || error.hasErrorLabel('RetryableWriteError')
  );
}

function errorCode(error: unknown): unknown {
  return error instanceof MongoServerError ? error.code : undefined;
}
