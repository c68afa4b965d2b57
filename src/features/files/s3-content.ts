import { Readable } from 'node:stream';
import type * as Sdk from '@aws-sdk/client-s3';
import { UUID } from 'mongodb';
import pLimit from 'p-limit';
import { Unavailable } from '../../platform/core/errors.ts';
import type { FilesBucket } from '../../platform/core/files-url.ts';
import type { Logger } from '../../platform/core/logger.ts';
import { type FileContent, MissingContent } from './file-content.ts';

type File = Parameters<FileContent['put']>[0];

/** A larger file is sent in parts. */
const MAX_PUT_BYTES = 64_000_000;
/** All parts but the last have the same size, which R2 requires. S3 takes 10,000. */
const PART_BYTES = 8_000_000;
const CONNECT_MS = 3_000;
/** The time limit of a request without content, and of each piece of an answer. */
const REQUEST_MS = 10_000;
/** A request with content has a second more for each of these. */
const BYTES_A_SECOND = 500_000;
/** Requests of one removal at the same time. Not every store removes several by one request. */
const REMOVED_AT_ONCE = 16;
/** Its name is no id of a file. */
const CHECK_KEY = 'doctor';
/** S3 accepts a signature for 15 minutes, by its clock and that of this machine. */
const SIGNED_MS = 15 * 60_000;
const ignore = (): void => undefined;
const NO_LOG = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
const UUID_FORMAT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface S3Content extends FileContent {
  /** Loads the client of AWS, which takes half a second: before the server listens. */
  load(): Promise<void>;
}

/**
 * The content in an S3 bucket, one object for each file, named by its id. Credentials come from the
 * variables, the profile or the role of AWS. A request that fails rejects with 503, and is logged.
 *
 * @param requestMs shorter in tests
 */
export function createS3Content(bucket: FilesBucket, logger: Logger, requestMs = REQUEST_MS): S3Content {
  const Bucket = bucket.bucket;
  const keyOf = ({ _id }: Pick<File, '_id'>): string => bucket.prefix + _id.toHexString(true);
  let opened: ReturnType<typeof create> | undefined;
  const open = () => {
    opened ??= create();
    return opened;
  };

  async function create(): Promise<Opened> {
    const sdk = await import('@aws-sdk/client-s3');
    const { endpoint, region } = bucket;
    const client = new sdk.S3Client({
      ...(region === undefined ? {} : { region }),
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      // Other stores refuse the checksums that AWS takes.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // A request whose content is a stream is never repeated.
      maxAttempts: 2,
      requestHandler: { connectionTimeout: CONNECT_MS },
      // A store that does not answer `Expect` would delay each file by seconds.
      expectContinueHeader: false,
      // The console otherwise.
      logger: NO_LOG,
    });
    return { sdk, client };
  }

  /** Runs requests within a time limit. @throws {Unavailable} @throws {MissingContent} */
  async function request<Result>(
    run: (store: Opened, abortSignal: AbortSignal) => Promise<Result>,
    ms = requestMs,
    stop = new AbortController(),
  ): Promise<Result> {
    // A signal of a time limit would also end the content that follows an answer.
    const timer = setTimeout(() => stop.abort(), ms);
    try {
      return await run(await open(), stop.signal);
    } catch (error) {
      throw refusal(error);
    } finally {
      clearTimeout(timer);
    }
  }

  function refusal(error: unknown): Error {
    if (error instanceof Unavailable) return error;
    const { name, code = name } = error as NodeJS.ErrnoException;
    if (name === 'NoSuchKey') return new MissingContent();
    // Its message may contain an address.
    logger.warn({ reason: code }, 'the store of files refused a request or did not answer');
    return new Unavailable('noFileStore');
  }

  /** Stores what `read` yields: exactly `bytes`. */
  async function send(
    bytes: number,
    read: AsyncIterable<Buffer>,
    run: (store: Opened, body: Readable, abortSignal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    const stop = new AbortController();
    let failure: unknown;
    // The client does not notice that a body ends early.
    const body = Readable.from(
      (async function* () {
        let sent = 0;
        try {
          for await (const piece of read) {
            sent += piece.length;
            if (sent > bytes) break;
            yield piece;
          }
          if (sent !== bytes) throw new MissingContent();
        } catch (error) {
          failure = error;
          stop.abort();
        }
      })(),
    );
    try {
      const ms = requestMs + (bytes / BYTES_A_SECOND) * 1_000;
      await request((store, abortSignal) => run(store, body, abortSignal), ms, stop);
    } catch (error) {
      throw failure ?? error;
    } finally {
      body.destroy();
    }
    if (failure) throw failure;
  }

  async function putParts(file: File, source: AsyncIterable<Buffer>): Promise<void> {
    const Key = keyOf(file);
    const UploadId = await request(async ({ sdk, client }, abortSignal) => {
      const command = new sdk.CreateMultipartUploadCommand({ Bucket, Key });
      return (await client.send(command, { abortSignal })).UploadId;
    });
    try {
      const parts = splitter(source);
      const Parts: Sdk.CompletedPart[] = [];
      for (let at = 0; at < file.length; at += PART_BYTES) {
        const bytes = Math.min(PART_BYTES, file.length - at);
        const PartNumber = Parts.length + 1;
        await send(bytes, parts.next(bytes), async ({ sdk, client }, Body, abortSignal) => {
          const command = new sdk.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ContentLength: bytes });
          Parts.push({ PartNumber, ETag: (await client.send(command, { abortSignal })).ETag });
        });
      }
      if (!(await parts.isAtEnd())) throw new MissingContent();
      await request(async ({ sdk, client }, abortSignal) => {
        const command = new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
        await client.send(command, { abortSignal });
      });
    } catch (error) {
      await abort(Key, UploadId).catch(() => undefined); // `remove` does it otherwise
      throw error;
    }
  }

  const abort = (Key: string | undefined, UploadId: string | undefined) =>
    request(async ({ sdk, client }, abortSignal) => {
      await client
        .send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }), { abortSignal })
        .catch((error: Error) => {
          if (error.name !== 'NoSuchUpload') throw error;
        });
    });

  /** Removes the parts of uploads that have not ended. */
  async function removeParts(file: File): Promise<void> {
    const found = await request(({ sdk, client }, abortSignal) =>
      client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix: keyOf(file) }), { abortSignal }),
    );
    for (const { Key, UploadId } of found.Uploads ?? []) await abort(Key, UploadId);
  }

  return {
    async put(file, source) {
      if (file.length > MAX_PUT_BYTES) return putParts(file, source);
      await send(file.length, source, ({ sdk, client }, Body, abortSignal) => {
        const command = new sdk.PutObjectCommand({ Bucket, Key: keyOf(file), Body, ContentLength: file.length });
        return client.send(command, { abortSignal });
      });
    },

    async *read(file, { start, end }) {
      if (end < start) return;
      const { Body } = await request(({ sdk, client }, abortSignal) => {
        const command = new sdk.GetObjectCommand({ Bucket, Key: keyOf(file), Range: `bytes=${start}-${end}` });
        return client.send(command, { abortSignal });
      });
      let missing = end + 1 - start;
      let timer: NodeJS.Timeout | undefined;
      const wait = (): void => {
        timer = setTimeout(() => (Body as Readable).destroy(new Error()), requestMs);
      };
      try {
        wait();
        for await (const piece of Body as Readable) {
          // A slow reader is no fault of the store.
          clearTimeout(timer);
          missing -= piece.length;
          yield piece;
          wait();
        }
      } catch (error) {
        throw refusal(error);
      } finally {
        clearTimeout(timer);
        (Body as Readable).destroy();
      }
      if (missing !== 0) throw new MissingContent();
    },

    async remove(files, time) {
      const limit = pLimit(REMOVED_AT_ONCE);
      await limit.map(files, async (file) => {
        if (file.length > MAX_PUT_BYTES) await removeParts(file);
        await request(({ sdk, client }, abortSignal) => {
          const command = new sdk.DeleteObjectCommand({ Bucket, Key: keyOf(file) });
          // The last step before each attempt, because a bucket takes no condition on the time.
          command.middlewareStack.add(
            (send) => async (given) => {
              await time?.check();
              return send(given);
            },
            { step: 'finalizeRequest', priority: 'low' },
          );
          return client.send(command, { abortSignal });
        });
      });
    },

    async *list(from) {
      let ContinuationToken: string | undefined;
      // It is before every key that begins with it.
      const StartAfter = from && keyOf({ _id: from }).slice(0, -1);
      do {
        const page: Sdk.ListObjectsV2CommandOutput = await request(({ sdk, client }, abortSignal) => {
          const place = { Bucket, Prefix: bucket.prefix, StartAfter, ContinuationToken };
          return client.send(new sdk.ListObjectsV2Command(place), { abortSignal });
        });
        for (const { Key = '', Size = 0 } of page.Contents ?? []) {
          const name = Key.slice(bucket.prefix.length);
          if (UUID_FORMAT.test(name)) yield { id: new UUID(name), bytes: Size };
        }
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },

    async check() {
      const { sdk, client } = await open();
      const named = { Bucket, Key: bucket.prefix + CHECK_KEY };
      const options = () => ({ abortSignal: AbortSignal.timeout(requestMs) });
      await client.send(new sdk.PutObjectCommand({ ...named, Body: CHECK_KEY }), options());
      const { Body } = await client.send(new sdk.GetObjectCommand(named), options());
      await Body?.transformToByteArray();
      await client.send(new sdk.DeleteObjectCommand(named), options());
    },

    lateMs: SIGNED_MS + CONNECT_MS,
    load: async (): Promise<void> => void (await open()),
  };
}

interface Opened {
  sdk: typeof Sdk;
  client: Sdk.S3Client;
}

/** Divides a stream into parts that are read one after another. */
function splitter(source: AsyncIterable<Buffer>) {
  const pieces = source[Symbol.asyncIterator]();
  let rest: Buffer | undefined;

  const take = async (): Promise<Buffer | undefined> => {
    const piece = rest ?? ((await pieces.next()).value as Buffer | undefined);
    rest = undefined;
    return piece;
  };
  return {
    /** The next bytes; fewer at the end. */
    async *next(bytes: number): AsyncGenerator<Buffer> {
      for (let left = bytes; left > 0; ) {
        const piece = await take();
        if (!piece) return;
        if (piece.length > left) rest = piece.subarray(left);
        yield piece.subarray(0, left);
        left -= piece.length;
      }
    },
    isAtEnd: async (): Promise<boolean> => (await take()) === undefined,
  };
}
