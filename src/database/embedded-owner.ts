import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { z } from 'zod';

/** In DATA_DIR: who runs the database on it, and where it listens. */
export const OWNER_FILE = 'embedded.json';

const Owned = z.object({ ownerPid: z.int(), mongodPid: z.int(), port: z.int() });
export type Owned = z.output<typeof Owned>;

/**
 * The mongod that runs on `dataDir` now, or undefined. The file alone proves nothing (process ids and ports are given again), so the
 * server that listens there is asked whether it serves this folder.
 */
export async function findOwned(dataDir: string): Promise<Owned | undefined> {
  const noted = await readNote(join(dataDir, OWNER_FILE));
  if (!noted) return undefined;
  const client = new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${noted.port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1_000,
    connectTimeoutMS: 1_000,
    socketTimeoutMS: 2_000,
  });
  try {
    const admin = client.db('admin');
    const options = await admin.command({ getCmdLineOpts: 1 });
    if (options.parsed?.storage?.dbPath !== join(dataDir, 'mongodb')) return undefined;
    const status = await admin.command({ serverStatus: 1 });
    return { ...noted, mongodPid: Number(status.pid) };
  } catch {
    return undefined; // nothing listens there, or something that is no MongoDB
  } finally {
    await client.close();
  }
}

async function readNote(path: string): Promise<Owned | undefined> {
  try {
    return Owned.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined; // no file, or one cut short by a crash: then the lock of mongod itself decides
  }
}

/** Whether a process of this machine lives. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
