import { expect } from 'vitest';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import type { UserDocument } from '../../../src/core/users/users.model.ts';
import type { Rename } from '../../../src/features/renames/renames.ts';
import type { RecentRenames } from '../../../src/features/renames/shown-renames.ts';
import type { Client } from './client.ts';
import type { TestServer } from './server.ts';

/** For a reader of records that no rename moves. */
export const NO_RENAMES: RecentRenames = () => Promise.resolve(new Map());

const POLL = { timeout: 60_000, interval: 50 };

interface Renaming {
  rejectUnknown?: boolean;
  fields: FieldDefinitionInput[];
  renames: Rename[];
}

/** Replaces the schema of an app by one that renames fields. */
export function rename(admin: Client, sourceAppId: string, { rejectUnknown = true, fields, renames }: Renaming) {
  return admin.put(`/auth/apps/${sourceAppId}/schema`, { rejectUnknown, fields, renames });
}

/** Resolves when no rename of the app is in progress. */
export async function untilRenamed({ admin, services }: TestServer, sourceAppId: string): Promise<void> {
  const states = async () => {
    services.jobs.wake('renames');
    const { body } = await admin.get(`/auth/apps/${sourceAppId}/indexes`).expect(200);
    return body.filter(({ state }: { state: string }) => state === 'renaming');
  };
  await expect.poll(states, POLL).toEqual([]);
}

/** The stored records of an app. */
export function recordsOf({ db }: TestServer, sourceAppId: string): Promise<UserDocument[]> {
  return db.collection<UserDocument>('users').find({ sourceAppId }).sort({ _id: 1 }).toArray();
}
