import { inject } from 'vitest';
import { startProxy, type TcpProxy } from '../peers/proxy.ts';
import { startServer, type TestServer } from './server.ts';

/**
 * Starts a server whose statements go through a proxy, with the parameters of {@link startServer}.
 * `slow.close` restores and closes the proxy too.
 */
export async function startSlow(
  env: Record<string, string> = {},
  database?: string,
  timings?: Parameters<typeof startServer>[2],
): Promise<{ proxy: TcpProxy; slow: TestServer }> {
  const uri = new URL(inject('mongodbUri'));
  const proxy = await startProxy(new URL(uri));
  uri.port = String(proxy.port);
  const slow = await startServer({ ...env, MONGODB_URI: uri.href }, database, timings);
  const close = async (): Promise<void> => {
    proxy.restore();
    await slow.close();
    await proxy.close();
  };
  return { proxy, slow: { ...slow, close } };
}
