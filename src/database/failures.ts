import mongoose from 'mongoose';
import { type AppError, TooLarge, Unavailable } from '../core/errors.ts';

const { MongoError, MongoNetworkError, MongoServerSelectionError, MongoServerError, MongoWriteConcernError } =
  mongoose.mongo;

const DUPLICATE_KEY = 11_000;
const BAD_VALUE = 2;
const OVER_TIME = 50;

/** The document would pass MongoDB's 16 MB: refused by the server before (10334, 17420) or after (17419) it applied the update. */
const TOO_LARGE = new Set<unknown>([10_334, 17_419, 17_420]);

/** Server errors that pass by themselves: stepping down, shutting down, interrupted, not primary, time limit, disk full. */
const TRANSIENT = new Set<unknown>([
  6, 7, 50, 64, 89, 91, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_388, 13_435, 13_436, 14_031,
]);

/** What a socket says whose other side has gone. The driver lets these through as they are when a command was too large to be sent at once. */
const SOCKET_GONE = new Set<unknown>(['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED']);

/** A unique index refused the write. */
export function isDuplicateKey(error: unknown): boolean {
  return codeOf(error) === DUPLICATE_KEY;
}

/** An update operator met a stored value of a type that it cannot work on, as `$push` on a text. */
export function isTypeMismatch(error: unknown): boolean {
  return codeOf(error) === BAD_VALUE;
}

/** A query ran longer than its `maxTimeMS`. */
export function isOverTime(error: unknown): boolean {
  return codeOf(error) === OVER_TIME;
}

/** No server could be reached at all. */
export function isUnreachable(error: unknown): boolean {
  return (
    error instanceof mongoose.Error.MongooseServerSelectionError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNetworkError
  );
}

/**
 * What a failure of the database means to a client, or undefined when it is no such failure but a mistake of ours. The driver's own text
 * never leaves the service.
 */
export function databaseRefusal(error: unknown): AppError | undefined {
  if (TOO_LARGE.has(codeOf(error))) return new TooLarge('The record would be too large');
  return isTransient(error) ? new Unavailable() : undefined;
}

function isTransient(error: unknown): boolean {
  if (error instanceof mongoose.Error.MongooseServerSelectionError) return true;
  if (!(error instanceof MongoError))
    return error instanceof Error && SOCKET_GONE.has((error as { code?: unknown }).code);
  if (!(error instanceof MongoServerError)) return true; // network, selection, pool, topology: the way to the server
  return (
    error instanceof MongoWriteConcernError || TRANSIENT.has(error.code) || error.hasErrorLabel('RetryableWriteError')
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof MongoServerError ? error.code : undefined;
}
