import supertest, { type Test } from 'supertest';
import type { Scope } from '../../../src/core/api/principal.ts';
import type { Client } from './client.ts';
import { assertDocumented } from './openapi.ts';
import type { TestServer } from './server.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A program that sends an API key. Checks every response against the OpenAPI document. */
export interface KeyClient {
  id: string;
  key: string;
  send(method: Method, path: string, body?: string | object): Test;
}

/** Sends a key to a server, without a session. */
export function withKey({ listener }: Pick<TestServer, 'listener'>, key: string): KeyClient['send'] {
  return (method, path, body) =>
    supertest(listener.url)
      [method](path)
      .set('Authorization', `Bearer ${key}`)
      .send(body)
      .expect((response) => assertDocumented(method, new URL(path, listener.url).pathname, response));
}

/** Creates an API key with a session. */
export async function createKey(
  server: Pick<TestServer, 'listener'>,
  session: Client,
  scopes: Scope[],
  { sourceAppId, ...more }: { sourceAppId?: string; expiresAt?: string; cidrs?: string[] } = {},
): Promise<KeyClient> {
  const query = sourceAppId === undefined ? '' : `?sourceAppId=${sourceAppId}`;
  const { body } = await session.post(`/auth/keys${query}`, { name: 'test', scopes, ...more }).expect(200);
  return { ...body, send: withKey(server, body.key) };
}
