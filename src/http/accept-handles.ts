import { type ChildProcess, spawn } from 'node:child_process';
import type { Server as NetServer } from 'node:net';

const READY_WITHIN_MS = 3_000;

/**
 * Sends each server back: what crosses a process boundary is a new descriptor of its socket. The
 * process closes its own in the same turn of the event loop, before it could accept a connection.
 */
const ECHO = "process.on('message', (number, server) => process.send(number, server, () => server.close()))";

/**
 * Opens `count` more servers on the socket of `server`, and passes their connections to it.
 * libuv accepts one connection of a server in each turn of the event loop: a server with turns of
 * 50 ms accepts 20 connections a second, and the requests of a burst wait for seconds before the
 * server knows of them. Resolves with the servers that could be opened; they must be closed with
 * `server`.
 */
export async function openAcceptHandles(server: NetServer, count: number): Promise<NetServer[]> {
  const opened: NetServer[] = [];
  if (count === 0) return opened;
  const child = spawn(process.execPath, ['-e', ECHO], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {} });
  const ended = new Promise((resolve) => child.once('error', resolve).once('exit', resolve));
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, READY_WITHIN_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    child.once('error', end).once('exit', end);
    child.on('message', (_number, copy) => {
      opened.push(acceptFor(server, copy as NetServer));
      // One after the other: a server must not be closed while it waits to be sent.
      if (opened.length < count) send(child, server);
      else end();
    });
    send(child, server);
  });
  child.removeAllListeners('message').kill('SIGKILL');
  // Until it has ended it may keep the port open.
  await ended;
  return opened;
}

function send(child: ChildProcess, server: NetServer): void {
  child.send(0, server, () => undefined);
}

/** Gives `server` the connections of `copy`, with the settings of its own. */
function acceptFor(server: NetServer, copy: NetServer): NetServer {
  copy.on('error', () => undefined);
  return copy.on('connection', (socket) => {
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    server.emit('connection', socket);
  });
}
