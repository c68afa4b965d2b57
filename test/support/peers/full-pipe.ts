import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { O_NONBLOCK, O_RDWR, O_WRONLY } = constants;

/** A pipe without room, whose reader reads nothing before `read` is called. */
export class FullPipe {
  /** A descriptor that blocks, as a process gets it. */
  readonly writer: number;
  /** Shares no flags with `writer`. */
  readonly nonBlocking: number;
  readonly #reader: number;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'user-collection-pipe-'));
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    // Opening one end of a pipe waits for the other.
    this.#reader = openSync(path, O_RDWR | O_NONBLOCK);
    this.writer = openSync(path, O_WRONLY);
    this.nonBlocking = openSync(path, O_WRONLY | O_NONBLOCK);
    rmSync(folder, { recursive: true });
    untilBlocked(() => writeSync(this.nonBlocking, '\n'.repeat(4_096)));
  }

  /** Returns what the pipe holds. */
  read(): string {
    const pieces: Buffer[] = [];
    const piece = Buffer.alloc(65_536);
    untilBlocked(() => pieces.push(Buffer.from(piece.subarray(0, readSync(this.#reader, piece)))));
    return Buffer.concat(pieces).toString();
  }

  close(): void {
    for (const fd of [this.#reader, this.writer, this.nonBlocking]) closeSync(fd);
  }
}

function untilBlocked(step: () => unknown): void {
  try {
    for (;;) step();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
}
