import type { ObjectId } from 'mongodb';
import type { UserDocument } from '../../../src/core/users/users.model.ts';
import { decode } from '../../../src/platform/database/collections.ts';
import { createCursors } from '../../../src/platform/http/cursors.ts';
import type { TestServer } from './server.ts';

type UserService = TestServer['services']['users'];

const cursors = createCursors('a secret of the tests');

/**
 * Resolves with the page of records that `GET /auth/users` sends for a query, without a request and
 * its limits.
 */
export async function findUsers({ services }: TestServer, id: ObjectId, request: Parameters<UserService['find']>[1]) {
  const { users, rest } = await services.users.find({ id }, request, cursors);
  const found: UserDocument[] = [];
  for await (const batch of users) for (const bytes of batch) found.push(decode<UserDocument>(bytes));
  return { users: found, rest };
}
