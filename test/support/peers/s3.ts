import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { loadConfig } from '../../../src/platform/core/config.ts';
import { freePort } from '../../../src/platform/core/free-port.ts';

/** Its sums are those of Go's checksum database. */
const SERVER = 'github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0';
const NAME = 'gofakes3-1.2.0';
const BUCKET = 'files-of-tests';

/** A server of S3's protocol with one bucket, in memory. */
export interface S3Server {
  port: number;
  /** The value of FILES_URL. @param port that of a proxy */
  url(prefix?: string, port?: number): string;
  /** The keys of all objects, and of uploads in parts that have not ended. */
  keys(): Promise<string[]>;
  unfinishedUploads(): Promise<string[]>;
  read(key: string): Promise<Buffer>;
  write(key: string, content: Buffer): Promise<void>;
  /** Begins an upload in parts, with one part. */
  beginUpload(key: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the server, which Go compiles once and the cache folder keeps. The credentials of the
 * process become some, because the server takes any.
 */
export async function startS3(): Promise<S3Server> {
  process.env.AWS_ACCESS_KEY_ID ??= 'tests';
  process.env.AWS_SECRET_ACCESS_KEY ??= 'secret of tests';
  const program = await findServer();
  const port = await freePort();
  const running = await launch(program, port);
  const client = new S3Client({ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', forcePathStyle: true });
  return {
    port,
    async keys() {
      const keys: string[] = [];
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: BUCKET })) {
        keys.push(...Contents.map(({ Key = '' }) => Key));
      }
      return keys;
    },
    async read(Key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
    async write(Key, Body) {
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body }));
    },
    async unfinishedUploads() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
      return Uploads.map(({ Key = '' }) => Key);
    },
    async beginUpload(Key) {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: BUCKET, Key }));
      const part = { Bucket: BUCKET, Key, UploadId, PartNumber: 1, Body: 'part' };
      await client.send(new UploadPartCommand(part));
    },
    url: (prefix = '', at = port) => `s3://${BUCKET}/${prefix}?endpoint=http://127.0.0.1:${at}`,
    async close() {
      client.destroy();
      running.kill('SIGKILL');
      if (running.exitCode === null && running.signalCode === null) await once(running, 'exit');
    },
  };
}

async function launch(program: string, port: number): Promise<ChildProcess> {
  const options = ['-host', `127.0.0.1:${port}`, '-backend', 'memory', '-initialbucket', BUCKET, '-quiet'];
  const running = spawn(program, options, { stdio: 'ignore' });
  while (running.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return running;
    await sleep(20);
  }
  throw new Error(`${program} ended with ${running.exitCode}`);
}

async function findServer(): Promise<string> {
  const { cacheDir } = loadConfig(process.env).mongod;
  const path = join(cacheDir, NAME);
  const isThere = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isThere) return path;
  await mkdir(cacheDir, { recursive: true });
  const folder = await mkdtemp(join(cacheDir, 'go-'));
  try {
    const env = { ...process.env, GOBIN: folder, GOTOOLCHAIN: 'local' };
    await promisify(execFile)('go', ['install', SERVER], { env, timeout: 300_000 });
    // Atomic: other processes find the whole file or none.
    await rename(join(folder, 'gofakes3'), path);
    return path;
  } catch (error) {
    throw new Error(`The S3 server of the tests needs Go on the PATH, or ${path}: ${(error as Error).message}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
