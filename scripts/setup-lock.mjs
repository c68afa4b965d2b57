// Lets one process at a time install and build in this folder. Only Node's own modules here.
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const LOOK_EVERY_MS = 200;
const BATCH_TIMEOUT_MS = 15 * 60_000;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs `work` while no other process holds the lock; waits until then. The lock is the file `path`, which holds the
 * process id of its owner. The lock of a process that is gone is taken over.
 *
 * @param path also with `.` and a token behind it, for a moment, during a takeover
 * @param onWait called once with the owner's process id, when there is a wait
 * @throws {Error} after 15 minutes of waiting
 */
export function withLock(path, onWait, work) {
  const token = `${process.pid} ${randomUUID()}`;
  const giveUpAt = performance.now() + BATCH_TIMEOUT_MS;
  for (let waited = false; !create(path, token); waited = true) {
    const holder = read(path);
    // An empty file is one whose owner has not written its id yet.
    const pid = Number(holder?.split(' ')[0]);
    if (holder && !isAlive(pid) && takeOver(path, holder)) continue;
    if (!waited && holder) onWait(pid);
    if (performance.now() > giveUpAt)
      throw new Error(`gave up waiting for the lock ${path}; remove it if nothing runs`);
    Atomics.wait(sleeper, 0, 0, LOOK_EVERY_MS);
  }
  const release = () => rmSync(path, { force: true });
  // `work` may end the process.
  process.once('exit', release);
  try {
    return work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

/**
 * Removes the lock of a process that is gone. Of several processes that notice it, only the one that creates the file
 * named after that lock's token may remove it; the others cannot remove the lock of the next owner by mistake.
 *
 * @returns whether this process did it
 */
function takeOver(path, holder) {
  const claim = `${path}.${holder.split(' ')[1]}`;
  if (!create(claim, '')) return false;
  if (read(path) === holder) rmSync(path);
  rmSync(claim);
  return true;
}

function create(path, content) {
  try {
    writeFileSync(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
