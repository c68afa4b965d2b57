import type { Document, Filter, ObjectId } from 'mongodb';
import type { Config } from '../../platform/core/config.ts';
import { Conflict, TooLarge, TooManyRequests } from '../../platform/core/errors.ts';
import { say } from '../../platform/languages/reasons.ts';
import { MB } from './arrival.ts';
import { BY_NETWORK, BY_SIZE, CHUNK_BYTES, type FileCollection, type FileDocument } from './files.model.ts';

const HOUR_MS = 3_600_000;
/** Files that no record names, of one network in an hour. */
const MAX_OF_NETWORK = 200 * MB;
/** The part of the files of an app that those of one network may be. */
const SHARE_OF_NETWORK = 1 / 4;
/** What a file counts at least, so that small ones are few. */
const MIN_CHARGED = 4_096;

/** What a file of so many bytes counts. */
export const chargeOf = (bytes: number): number => Math.max(bytes, MIN_CHARGED);

/** What a file that arrives counts when nobody sends it, in an aggregation. */
export const CHARGE_OF_LENGTH = { $max: ['$length', MIN_CHARGED] };

/** A file that a request writes (file-writing.ts). */
interface Charged {
  readonly file: FileDocument;
  /** Matches the file while no other request may take it over. */
  mayWrite(): Filter<FileDocument>;
}

export type FileCharges = ReturnType<typeof createFileCharges>;

/**
 * Counts files for the limits of apps and networks (spec 4.14.1). A file counts before its bytes
 * are stored: each request adds what it is about to store to its file, then reads the sum, so that
 * of requests on several servers at least the last one sees all. Files that together are too much
 * may all be refused.
 */
export function createFileCharges(files: FileCollection, limits: Config['fileLimits']) {
  const shareOfNetwork = Math.max(limits.perFile, limits.perApp * SHARE_OF_NETWORK);

  async function sumOf($match: Filter<FileDocument>, $sum: string | object, hint: Document): Promise<number> {
    const sum = { $group: { _id: null, bytes: { $sum } } };
    const [found] = await files.aggregate<{ bytes: number }>([{ $match }, sum], { hint }).toArray();
    return found?.bytes ?? 0;
  }

  /** The bytes of files of a network that no record names: of all apps, or of one. */
  const unnamedOf = (network: string, since: Date, appId?: ObjectId): Promise<number> =>
    sumOf(
      { 'metadata.network': network, uploadDate: { $gt: since }, ...(appId && { 'metadata.appId': appId }) },
      UNNAMED_BYTES,
      BY_NETWORK,
    );

  /**
   * Refuses a file whose app, or network, has too much with it.
   * @param more what it is going to have beyond what it counts
   * @throws {TooLarge} for the app @throws {TooManyRequests} for the network
   */
  async function check({ uploadDate, metadata: { appId, network } }: FileDocument, more = 0): Promise<void> {
    const since = new Date(uploadDate.getTime() - HOUR_MS);
    const [ofApp, ofNetwork] = await Promise.all([
      sumOf({ 'metadata.appId': appId }, '$metadata.charged', BY_SIZE),
      network === undefined ? 0 : unnamedOf(network, since),
    ]);
    if (ofApp + more > limits.perApp) throw new TooLarge(say('appFilesTooLarge', { max: limits.perApp / MB }));
    if (network === undefined) return;
    if (ofNetwork + more > MAX_OF_NETWORK) throw new TooManyRequests('tooManyFileBytes', 600);
    // The index has no apps, so this reads documents: those of one network in an hour.
    if (ofNetwork + more > shareOfNetwork && (await unnamedOf(network, since, appId)) + more > shareOfNetwork) {
      throw new TooManyRequests('tooManyFileBytes', 600);
    }
  }

  return {
    check,

    /**
     * Counts bytes of a file before they are stored. Some more are counted at once, at most as many
     * as have arrived, so that a large file needs few sums.
     * @param needed the bytes that the file has with them @param most those that the request may
     * add
     * @throws {Conflict} when another request writes @throws as `check`
     */
    async cover(state: Charged, needed: number, most: number): Promise<void> {
      const { file } = state;
      if (needed <= file.metadata.charged) return;
      const charged = Math.max(needed, Math.min(2 * file.length, most));
      const { matchedCount } = await files.updateOne(state.mayWrite(), { $set: { 'metadata.charged': charged } });
      if (matchedCount === 0) throw new Conflict('fileBeingSent');
      file.metadata.charged = charged;
      await check(file);
    },
  };
}

/**
 * What a file counts at first, of which nothing has arrived. @param most that its request may bring
 */
export const firstCharge = (most: number): number => chargeOf(Math.min(most, CHUNK_BYTES));

/** The bytes of a file that no record names. An absent member is less than null, or it. */
const UNNAMED_BYTES = { $cond: [{ $gt: ['$metadata.record', null] }, 0, '$metadata.charged'] };
