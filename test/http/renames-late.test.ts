import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { compileSchema } from '../../src/core/fields/compile.ts';
import type { Lease } from '../../src/core/schemas/schema-leases.ts';
import { createRecordLimits } from '../../src/core/users/record-limits.ts';
import { createRecordParts } from '../../src/core/users/record-part.ts';
import type { UserCollection, UserDocument } from '../../src/core/users/users.model.ts';
import { createBulkEditor } from '../../src/features/records/bulk-edit.ts';
import { createBulkWriter } from '../../src/features/records/bulk-write.ts';
import { createEditParts } from '../../src/features/records/edit-part.ts';
import { createRecordMoves } from '../../src/features/records/rename-moves.ts';
import { createRenamesPart } from '../../src/features/records/renames.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { sharedServer } from '../support/server/server.ts';

const FIELDS = [
  { key: 'fullName', label: 'Name', kind: 'text', required: false },
  { key: 'age', label: 'Age', kind: 'number', required: false },
] as const;
const RENAMES = { version: 2, pairs: [{ from: 'name', to: 'fullName' }] };

/** A collection in which `write` happens before the first bulk write. */
function withLateWrite(users: UserCollection, write: () => Promise<unknown>): UserCollection {
  let isWritten = false;
  return new Proxy(users, {
    get(target, name) {
      if (name !== 'bulkWrite') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name);
      return async (...statement: Parameters<UserCollection['bulkWrite']>) => {
        if (!isWritten) await write();
        isWritten = true;
        return target.bulkWrite(...statement);
      };
    },
  });
}

it('a value under an old key that is stored between the read and the write of a bulk change is moved', async () => {
  const { db } = await sharedServer();
  const users = db.collection<UserDocument>('users');
  const newId = createOrderedIds();
  const [_id, appId, now] = [newId(new Date()), new ObjectId(), new Date()];
  const dates = { createdAt: now, updatedAt: now };
  const record = { _id, appId, sourceAppId: 'late', email: 'ada@x.org', schemaVersion: 1, ...dates };
  await users.insertOne({ ...record, data: { age: 1 } });

  const schema = { version: 2, rejectUnknown: false, fields: [...FIELDS] };
  const app = { id: appId, sourceAppId: 'late' };
  const validator = compileSchema(schema);
  const lease = { app, schema, validator, renames: RENAMES, isCurrent: () => true } as unknown as Lease;
  // An older server, whose submission has an earlier time than the record.
  const late = () => users.updateOne({ _id }, { $set: { 'data.name': 'Late' } });
  const parts = createRecordParts(() => [createRenamesPart(createRecordMoves(users), async () => [])]);
  const deps = {
    users: withLateWrite(users, late),
    revalidation: { revalidateEdit: async () => undefined, scheduleRepair: () => undefined },
    renamesSince: async () => [],
    limits: createRecordLimits(1_000_000),
    maxArrayItems: 10,
    newId,
    parts,
    edits: createEditParts(parts),
    details: { projection: {} },
    history: { findOfChange: async () => undefined },
  };
  const writer = createBulkWriter({ ...deps, erase: async () => 0 });
  const editor = createBulkEditor({ ...deps, writer });
  const edit = { id: new ObjectId(), set: { age: 2 }, unset: [], version: 2, isUndo: false, isStopping: false };
  const results = await editor.apply(lease, [_id], { ...edit, by: { kind: 'edit' } }, () => undefined);
  expect([...results.values()]).toEqual([{ result: 'changed', message: undefined }]);
  const stored = await users.findOne({ _id });
  expect(stored?.data).toEqual({ age: 2, fullName: 'Late' });
});
