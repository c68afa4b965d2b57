import { totalmem } from 'node:os';

/**
 * What a server of one process takes under load, with the process of imports, in bytes; of several,
 * the first process and that of imports (docs/operations.md, "Several workers").
 */
const SERVER_MEMORY = 3.5e8;
/** What a worker takes under load, of which 64 MB are the two halves of its young generation. */
const WORKER_MEMORY = 2.5e8;

/** The limit of a container in bytes, if it is below the memory of the machine. */
export function memoryLimit(): number | null {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : null;
}

/** The bytes that a server with this many workers needs. */
export function memoryNeeded(workers: number): number {
  return workers === 1 ? SERVER_MEMORY : SERVER_MEMORY + workers * WORKER_MEMORY;
}

/** The most workers that this many bytes suffice for, at least 1. */
export function workersWithin(memory: number): number {
  const workers = Math.floor((memory - SERVER_MEMORY) / WORKER_MEMORY);
  return Math.max(1, workers);
}
