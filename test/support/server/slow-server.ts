import { inject } from 'vitest';
import { startProxy, type TcpProxy } from '../peers/proxy.ts';
import { startServer, type TestServer } from './server.ts';

/** Starts a server on the database of another one; its statements go through a proxy. */
export async function startSlow(
  { database }: Pick<TestServer, 'database'>,
  options?: Parameters<typeof startServer>[2],
): Promise<{ proxy: TcpProxy; slow: TestServer }> {
  const proxy = await startProxy(new URL(inject('mongodbUri')));
  const uri = new URL(inject('mongodbUri'));
  uri.port = String(proxy.port);
  return { proxy, slow: await startServer({ MONGODB_URI: uri.href }, database, options) };
}
