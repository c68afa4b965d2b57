import { spawn } from 'node:child_process';
import { createServer, type Server as NetServer } from 'node:net';

const READY_WITHIN_MS = 3_000;

/** Sends each handle back. A handle that crosses a process boundary is a new descriptor. */
const ECHO = "process.on('message', (number, handle) => process.send(number, handle))";

/**
 * Opens `count` more handles of the socket of `server`, and passes their connections to it.
 * libuv accepts one connection of a handle in each turn of the event loop: a server with turns of
 * 50 ms accepts 20 connections a second, and the requests of a burst wait for seconds before the
 * server knows of them. Resolves with the handles that could be opened; they must be closed with
 * the server.
 */
export async function openAcceptHandles(server: NetServer, count: number): Promise<NetServer[]> {
  if (count === 0) return [];
  const handle = (server as unknown as { _handle: NetServer })._handle;
  const opened: NetServer[] = [];
  const child = spawn(process.execPath, ['-e', ECHO], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {} });
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, READY_WITHIN_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    child.once('error', end).once('exit', end);
    child.on('message', (_number, copy) => {
      // The options of http.Server, which reads a connection like its own.
      const options = { allowHalfOpen: true, noDelay: true };
      const accepting = createServer(options, (socket) => server.emit('connection', socket));
      opened.push(accepting.on('error', () => undefined).listen(copy));
      if (opened.length === count) end();
    });
    for (let number = 1; number <= count; number += 1) child.send(number, handle, { keepOpen: true }, () => undefined);
  });
  child.removeAllListeners('message').kill('SIGKILL');
  return opened;
}
