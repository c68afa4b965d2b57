// Lets one process at a time install and build in this folder. Uses modules of Node.js only.
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const POLL_INTERVAL_MS = 200;
const LOCK_TIMEOUT_MS = 15 * 60_000;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs `work` while no other process holds the lock, and waits until then. The lock is the file
 * `path` with the process id of its owner. The lock of a dead process is taken over.
 *
 * @param path during a takeover also with `.` and a token appended
 * @param onWait called once with the owner's process id when it has to wait
 * @throws {Error} after 15 minutes
 */
export function withLock(path, onWait, work) {
  const token = `${process.pid} ${randomUUID()}`;
  const waitUntil = performance.now() + LOCK_TIMEOUT_MS;
  for (let waited = false; !create(path, token); waited = true) {
    const holder = read(path);
    // The owner of an empty file has not written its id yet.
    const pid = Number(holder?.split(' ')[0]);
    if (holder && !isAlive(pid) && takeOver(path, holder)) continue;
    if (!waited && holder) onWait(pid);
    if (performance.now() > waitUntil)
      throw new Error(`timeout waiting for the lock ${path}; remove it if no other process runs`);
    Atomics.wait(sleeper, 0, 0, POLL_INTERVAL_MS);
  }
  const release = () => rmSync(path, { force: true });
  // `work` may exit the process.
  process.once('exit', release);
  try {
    return work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

/**
 * Removes the lock of a dead process. Several processes may detect it; only the one that creates
 * the file named after the token of that lock removes it. The others cannot remove the lock of the
 * next owner.
 *
 * @returns whether this process removed it
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
