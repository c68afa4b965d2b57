import { Secret, TOTP } from 'otpauth';
import { Client } from './client.ts';
import type { TestServer } from './server.ts';

export const PASSWORD = 'a password of twelve';

export const tokenOf = (link: string): string => new URL(link).hash.slice(1);

export const logIn = (client: Client, email: string, password = PASSWORD) =>
  client.post('/auth/login', { email, password });

/** The code of an authenticator app, `steps` of 30 seconds from now. */
export const totp = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

let number = 0;

/** Creates an account by an invitation; resolves with its client, email and id. */
export async function joinApp(server: TestServer, sourceAppId: string, role: string, inviter = server.admin) {
  number += 1;
  const email = `member-${number}@example.com`;
  const { body } = await inviter.post(`/auth/apps/${sourceAppId}/invitations`, { email, role }).expect(200);
  const client = new Client(server.client.url);
  const accepted = await client
    .post('/auth/invitations/accept', { token: tokenOf(body.link), name: `Member ${number}`, password: PASSWORD })
    .expect(200);
  return { client, email, id: accepted.body.account.id as string };
}
