import { setTimeout as sleep } from 'node:timers/promises';
import { type Binary, type Document as MongoDocument, type ObjectId, UUID } from 'mongodb';
import type { RecordChange } from '../../core/fields/compile.ts';
import type { Claim } from '../../core/users/submission.ts';
import type { RecordId, UserDocument } from '../../core/users/users.model.ts';
import { Conflict, InvalidInput, Unavailable } from '../../platform/core/errors.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import type { Guard } from '../../platform/database/guarded-insert.ts';
import { STATEMENT_ENDS_MS } from '../../platform/database/lateness.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
import { type PendingRenames, presentKey } from '../renames/renames.ts';
import type { FindPlace } from './file-places.ts';
import type { FileCollection, FileDocument } from './files.model.ts';
import { findByTokens } from './known-files.ts';

/** How long after a claim the write that names its files may begin. */
const CLAIM_MS = 15_000;
/** When the cleaner looks whether the write was stored, in ms after the end of the claim. */
export const SETTLED_AFTER_MS = 20_000;

/** More than a field may have (core/fields/kinds/file.ts). */
const MAX_TOKENS = 20;
const MAX_TOKEN_LENGTH = 200;

/**
 * How long a request looks whether another one, which claims a file of it, has stored it: it has
 * ended before its answer (platform/http/deadline.ts), so it claims nothing later.
 */
const MAX_WAIT_MS = 1_600;
const PAUSE_MS = 100;
const RETRY_AFTER_SECONDS = 5;

/** A request that may add files to a record or to a held submission. */
export interface FileRequest {
  appId: ObjectId;
  /** The id of its claims. It may claim again what it has claimed. */
  claim: UUID;
  /** The held submission whose files it stores. Absent: it has tokens. */
  heldAs?: UUID | undefined;
  /** Whether a held submission is this one, which is sent again. */
  isHeldAs?: ((held: UUID) => Promise<boolean>) | undefined;
  /** The hash of the submission, if it has a key: a repeat may claim what an earlier one did. */
  submission?: Binary | undefined;
  /**
   * Whether a claim uses a token up for other submissions, also that of a write that names no file:
   * how a token is answered must not tell whether an email was known (spec 4.5.5).
   */
  usesAtOnce: boolean;
  /** Whether its claims ended no claim of others, so that it may give them back. */
  isFirst: boolean;
  /** The id of a record that another request claimed its files for, and may have stored. */
  shared?: RecordId;
}

/** The files that one write adds, with their places in the request. */
interface AddedFiles {
  request: FileRequest;
  files: readonly { _id: UUID; path: string }[];
}

/**
 * What is about to name files. `newRecord`: the id of a record that does not exist; `of`: the
 * record that a held submission changes.
 */
type Claimant = { record: RecordId } | { newRecord: RecordId } | { held: UUID; of?: RecordId | undefined };

/** What a submission, or a held one, has of files after its tokens were looked up. */
interface ResolvedFiles {
  /** With the files in place of their tokens. */
  data: Record<string, unknown>;
  problems: Issue[];
}

type FoundFile = FileDocument & { now: Date };

export type FileClaims = ReturnType<typeof createFileClaims>;

/**
 * Gives files to the writes that name them (spec 4.14.3). A claim says which record is about to
 * name a file and until when, by MongoDB's clock. The write begins before that time or not at all,
 * so that nothing has to follow it: the cleaner keeps a file that the record names.
 */
export function createFileClaims(deps: {
  files: FileCollection;
  findPlace: FindPlace;
  renamesSince(appId: ObjectId, version: number): Promise<PendingRenames[]>;
}) {
  const { files, findPlace, renamesSince } = deps;

  /** The files of tokens by their hashes, or those of a held submission by their ids. */
  async function findFiles({ appId, heldAs }: FileRequest, given: readonly string[]): Promise<Map<string, FoundFile>> {
    if (given.length === 0) return new Map();
    const projection = { length: 1, filename: 1, metadata: 1, now: '$$NOW' };
    if (heldAs) {
      const _id = { $in: given.filter((id) => UUID.isValid(id)).map((id) => new UUID(id)) };
      const filter = typedFilter<FileDocument>({ _id, 'metadata.appId': appId, 'metadata.held': heldAs });
      const found = await files.find<FoundFile>(filter, { projection }).toArray();
      return new Map(found.map((one) => [one._id.toString(), one]));
    }
    return findByTokens<FoundFile>(files, appId, given, projection);
  }

  async function isOfField({ metadata: { appId, field, version } }: FoundFile, key: string): Promise<boolean> {
    return presentKey(field, await renamesSince(appId, version)) === key;
  }

  /** Whether a submission may have the token of a file. A claim in progress decides later. */
  async function isFree(file: FoundFile, key: string, request: FileRequest): Promise<boolean> {
    const { claim, isHeldAs } = request;
    const { metadata, now } = file;
    const { record, held } = metadata;
    if (metadata.expiresAt <= now || isInfected(metadata) || !(await isOfField(file, key))) return false;
    if ((!record && !held) || metadata.claim?.id.equals(claim)) return true;
    if (held && (await isHeldAs?.(held))) return true;
    if (!mayTakeOver(metadata, request)) return false;
    return !isNamed(await findPlace(file, 'majority'));
  }

  /** Why a request cannot claim a file, or the claim that it may take over. */
  async function examine(
    file: FoundFile | undefined,
    { request, path }: { request: FileRequest; path: string },
    claimant: Claimant,
  ): Promise<{ over: UUID } | { free: RecordId } | 'claimed'> {
    const refusal = () => new InvalidInput('invalidSubmission', [{ path, ...say('fileToken') }]);
    if (file?.metadata.state !== 'whole') throw refusal();
    const { claim, record, expiresAt } = file.metadata;
    if (!request.heldAs && expiresAt <= file.now) throw refusal();
    const place = await findPlace(file, 'majority');
    if (place === 'record' || place === 'past') {
      // A repeated release: the record has them.
      if (request.heldAs && 'record' in claimant && record?.equals(claimant.record)) return { free: record };
      throw refusal();
    }
    if (request.usesAtOnce && !mayTakeOver(file.metadata, request)) throw refusal();
    if (record && 'record' in claimant && record.equals(claimant.record)) return { free: record };
    // Of a request that did not store its record, or has not yet: this one stores it under that id.
    if (record && 'newRecord' in claimant && place === 'no record') return { free: record };
    if (!claim) throw refusal();
    return claim.until.getTime() + STATEMENT_ENDS_MS < file.now.getTime() ? { over: claim.id } : 'claimed';
  }

  /**
   * Claims files for what is about to name them. Resolves with the time of MongoDB's clock before
   * which that write has to begin, and with the id that a new record must have: also that of a
   * request which may have stored it.
   * @throws {InvalidInput} when a file is used, or its time is over
   * @throws {Unavailable} while another request is about to name it
   */
  async function claim(added: AddedFiles, claimant: Claimant): Promise<{ until: Date; record: RecordId | undefined }> {
    const { request } = added;
    const _id = { $in: added.files.map((one) => one._id) };
    const ofApp = { _id, 'metadata.appId': request.appId };
    const mine = {
      'metadata.claim.id': request.claim,
      // What became of that record is read first.
      ...(request.shared && { 'metadata.record': { $ne: request.shared } }),
    };
    const held = request.heldAs ?? { $exists: false };
    const open: object[] = [mine, { 'metadata.record': { $exists: false }, 'metadata.held': held }];
    let target = claimant;
    const endsAt = performance.now() + MAX_WAIT_MS;
    do {
      const inTime = request.heldAs ? {} : { $expr: { $gt: ['$metadata.expiresAt', '$$NOW'] } };
      const filter = typedFilter<FileDocument>({ ...ofApp, 'metadata.state': 'whole', $or: open, ...inTime });
      await files.updateMany(filter, [{ $set: claimed(request, target) }]);
      const now = { projection: { metadata: 1, now: '$$NOW' } };
      const found = await files.find<FoundFile>(typedFilter<FileDocument>(ofApp), now).toArray();
      const byId = new Map(found.map((one) => [one._id.toHexString(), one]));
      const others = added.files.filter((one) => {
        const { state, claim, record } = byId.get(one._id.toHexString())?.metadata ?? {};
        return state !== 'whole' || !claim?.id.equals(request.claim) || !isSame(record, recordOf(target));
      });
      if (others.length === 0) {
        const ends = found.map(({ metadata }) => metadata.claim?.until.getTime() ?? 0);
        return { until: new Date(Math.min(...ends)), record: recordOf(target) };
      }
      request.isFirst = false;
      let mustWait = false;
      for (const { _id: id, path } of others) {
        const state = await examine(byId.get(id.toHexString()), { request, path }, target);
        if (state === 'claimed') mustWait = true;
        else if ('over' in state) open.push({ 'metadata.claim.id': state.over });
        else {
          if ('newRecord' in target) {
            target = { newRecord: state.free };
            request.shared = state.free;
          }
          open.push({ 'metadata.record': state.free });
        }
      }
      if (mustWait) await sleep(PAUSE_MS);
    } while (performance.now() < endsAt);
    throw new Unavailable('filesClaimed', RETRY_AFTER_SECONDS);
  }

  /** The guard of an insert that names claimed files (guarded-insert.ts). */
  function guard({ request, files: [first] }: AddedFiles, until: Date): Guard<MongoDocument> {
    const filter = typedFilter<FileDocument>({
      _id: first?._id,
      'metadata.appId': request.appId,
      'metadata.claim.id': request.claim,
      $expr: { $lt: ['$$NOW', until] },
    });
    return { collection: files, filter } as unknown as Guard<MongoDocument>;
  }

  /** Frees the tokens of a submission that was refused after its claim, and stored nothing. */
  async function giveBack({ request, files: added }: AddedFiles): Promise<void> {
    if (!request.isFirst || request.usesAtOnce) return;
    const filter = typedFilter<FileDocument>({
      _id: { $in: added.map(({ _id }) => _id) },
      'metadata.appId': request.appId,
      'metadata.claim.id': request.claim,
    });
    const taken = ['metadata.record', 'metadata.claim', ...(request.heldAs ? [] : ['metadata.held'])];
    const checkAt = request.heldAs ? '$$NOW' : '$metadata.expiresAt';
    await files.updateMany(filter, [{ $set: { 'metadata.checkAt': checkAt } }, { $unset: taken }]);
  }

  return {
    /** A request of one submission, or of one release of a held one. */
    request: (
      appId: ObjectId,
      of: Pick<FileRequest, 'heldAs' | 'isHeldAs' | 'submission' | 'usesAtOnce'>,
    ): FileRequest => ({
      ...of,
      appId,
      claim: new UUID(),
      isFirst: true,
    }),

    /**
     * Puts files in the place of the tokens in `data`, for the keys of file fields, in one
     * statement. A token that cannot be used is left out, and a problem `fileToken` names it.
     */
    async resolve(
      request: FileRequest,
      keys: ReadonlySet<string>,
      data: Record<string, unknown>,
    ): Promise<ResolvedFiles> {
      const given = [...keys].filter((key) => Object.hasOwn(data, key)).map((key) => [key, data[key]] as const);
      if (given.length === 0) return { data, problems: [] };
      const lists = given.map(([key, value]) => [key, Array.isArray(value) ? value : undefined] as const);
      const named = lists.flatMap(([, list = []]) => list.slice(0, MAX_TOKENS).flatMap((one) => nameOf(one, request)));
      const found = await findFiles(request, [...new Set(named)]);
      const problems: Issue[] = [];
      const used = new Set<string>();
      const values: Record<string, unknown> = {};
      for (const [key, list] of lists) {
        if (!list) problems.push({ path: `data.${key}`, ...say('fileToken') });
        const resolved: unknown[] = [];
        for (const [index, one] of (list ?? []).slice(0, MAX_TOKENS).entries()) {
          const [name = ''] = nameOf(one, request);
          const file = found.get(name);
          if (file && !used.has(name) && (request.heldAs || (await isFree(file, key, request)))) {
            used.add(name);
            resolved.push(fileValue(file));
          } else problems.push({ path: `data.${key}.${index}`, ...say('fileToken') });
        }
        values[key] = resolved;
      }
      return { data: { ...data, ...values }, problems };
    },

    /** The claim of files that a write adds; undefined if it adds none. */
    of(request: FileRequest, added: readonly { id: string; path: string }[]): Claim | undefined {
      if (added.length === 0) return undefined;
      const files = added.map(({ id, path }) => ({ _id: new UUID(id), path }));
      const all = { request, files };
      return {
        forRecord: async (record) => (await claim(all, { record })).until,

        async forNewRecord(newRecord) {
          const { until, record = newRecord } = await claim(all, { newRecord });
          return { record, guard: guard(all, until) };
        },

        forHeld: async (held, of) => guard(all, (await claim(all, { held, of })).until),
        giveBack: () => giveBack(all),
      };
    },

    /**
     * Claims the files that an edit adds to a record: those that only its past names, and those of
     * the staff. Resolves with the time before which the edit begins; undefined: it adds none.
     * @param values what the edit sets @param data that of the record as it was read
     * @throws {Conflict} when one of them was removed, or is of another record
     */
    async claimAdded(
      { appId, _id: record, data }: Pick<UserDocument, '_id' | 'appId' | 'data'>,
      values: Readonly<Record<string, unknown>>,
    ): Promise<Date | undefined> {
      const had = filesIn(data);
      const added = [...filesIn(values)].filter(([id]) => !had.has(id));
      if (added.length === 0) return undefined;
      const _id = { $in: added.filter(([id]) => UUID.isValid(id)).map(([id]) => new UUID(id)) };
      const claim = new UUID();
      const isNew = {
        'metadata.record': { $exists: false },
        'metadata.held': { $exists: false },
        'metadata.token': { $exists: false },
      };
      const filter = typedFilter<FileDocument>({
        _id,
        'metadata.appId': appId,
        'metadata.state': 'whole',
        $or: [{ 'metadata.record': record }, isNew],
      });
      await files.updateMany(filter, [{ $set: claimed({ claim }, { record }) }]);
      const ofClaim = typedFilter<FileDocument>({ _id, 'metadata.appId': appId, 'metadata.claim.id': claim });
      const found = await files.find(ofClaim, { projection: { metadata: 1 } }).toArray();
      const ids = new Set(found.map((one) => one._id.toString()));
      const gone = added.filter(([id]) => !ids.has(id));
      if (gone.length > 0) {
        throw new Conflict(
          'filesRemoved',
          gone.map(([, path]) => ({ path, ...say('fileGone') })),
        );
      }
      return new Date(Math.min(...found.map(({ metadata }) => metadata.claim?.until.getTime() ?? 0)));
    },
  };
}

/** The files that a change adds, for the keys of file fields. */
export const filesAddedBy = (
  { set }: Pick<RecordChange, 'set'>,
  keys: ReadonlySet<string>,
): { id: string; path: string }[] =>
  [...keys].flatMap((key) => {
    const list = Object.hasOwn(set, key) ? (set[key] as { id: string }[]) : [];
    return list.map(({ id }, index) => ({ id, path: `data.${key}.${index}` }));
  });

/** The files in the lists of some values, by id, with the path of each. */
function filesIn(values: Readonly<Record<string, unknown>>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, list] of Object.entries(values)) {
    for (const [index, one] of (Array.isArray(list) ? list : []).entries()) {
      const { id, sha256 } = (one ?? {}) as { id?: unknown; sha256?: unknown };
      if (typeof id === 'string' && typeof sha256 === 'string') found.set(id, `data.${key}.${index}`);
    }
  }
  return found;
}

const isNamed = (place: Awaited<ReturnType<FindPlace>>): boolean => place !== 'nowhere' && place !== 'no record';

/** The token, or the id of a file of a held submission, if there is one. */
function nameOf(one: unknown, { heldAs }: FileRequest): string[] {
  const name = heldAs ? (one as { id?: unknown } | null)?.id : one;
  return typeof name === 'string' && name.length <= MAX_TOKEN_LENGTH ? [name] : [];
}

/** The value of a record (spec 4.14.3). */
function fileValue({
  _id,
  filename,
  length,
  metadata,
}: Pick<FileDocument, '_id' | 'filename' | 'length' | 'metadata'>) {
  const { type, sha256 } = metadata;
  const value = { id: _id.toString(), name: filename, type, size: length, sha256 };
  return isInfected(metadata) ? { ...value, infected: true } : value;
}

const isInfected = ({ scan }: FileDocument['metadata']): boolean => scan === 'found' || scan === 'infected';

function recordOf(target: Claimant): RecordId | undefined {
  if ('record' in target) return target.record;
  return 'newRecord' in target ? target.newRecord : target.of;
}

/** Whether a request may claim a file that another one claimed, once that one cannot name it. */
function mayTakeOver(
  { claim }: FileDocument['metadata'],
  { claim: own, usesAtOnce, submission }: Pick<FileRequest, 'claim' | 'usesAtOnce' | 'submission'>,
): boolean {
  if (!claim) return false;
  if (!usesAtOnce || claim.id.equals(own)) return true;
  return !!submission && !!claim.submission && sameBytes(claim.submission, submission);
}

const sameBytes = (one: Binary, other: Binary): boolean => Buffer.compare(one.value(), other.value()) === 0;

const isSame = (one?: RecordId, other?: RecordId): boolean => (one && other ? one.equals(other) : one === other);

/** The members of a claimed file, in an aggregation. */
function claimed(
  { claim, submission }: Pick<FileRequest, 'claim' | 'submission'>,
  target: Claimant,
): Record<string, unknown> {
  const record = recordOf(target);
  return {
    'metadata.claim': { id: claim, until: { $add: ['$$NOW', CLAIM_MS] }, ...(submission && { submission }) },
    'metadata.checkAt': { $add: ['$$NOW', CLAIM_MS + SETTLED_AFTER_MS] },
    'metadata.record': record ?? '$$REMOVE',
    // What is about to name an infected file is marked too (file-scans.ts).
    'metadata.scan': { $cond: [{ $eq: ['$metadata.scan', 'infected'] }, 'found', '$metadata.scan'] },
    ...('held' in target && { 'metadata.held': target.held }),
  };
}
