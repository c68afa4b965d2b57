import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Resolves with a port of `host` that is free now. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
