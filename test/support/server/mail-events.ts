import { randomUUID } from 'node:crypto';
import type { RecordId } from '../../../src/core/users/users.model.ts';
import type { EventType, RecordEvent } from '../../../src/features/outbox/outbox.ts';
import { createOrderedIds, parseUuid } from '../../../src/platform/database/ordered-ids.ts';
import { appDocument } from '../database/index-slots.ts';
import type { TestServer } from './server.ts';

const newId = createOrderedIds();

/** Stores a record without an event, so that a test decides which events are told. */
export async function insertRecord(
  server: TestServer,
  sourceAppId: string,
  email: string,
  {
    data = {},
    createdAt = new Date(),
    updatedAt = createdAt,
  }: { data?: object; createdAt?: Date; updatedAt?: Date } = {},
): Promise<RecordId> {
  const { _id: appId } = await appDocument(server, sourceAppId);
  const _id = newId(createdAt);
  const record = { _id, appId, sourceAppId, email, data, schemaVersion: 1, createdAt, updatedAt };
  await server.db.collection('users').insertOne(record as never);
  return _id;
}

/**
 * An event of a record, as the relay tells it. The event of a creation has the id of the record.
 */
export async function eventOf(
  server: TestServer,
  sourceAppId: string,
  id: RecordId | string,
  type: EventType = 'user.created',
): Promise<RecordEvent> {
  const recordId = typeof id === 'string' ? parseUuid(id) : id;
  if (!recordId) throw new Error('no record id');
  const { _id: appId } = await appDocument(server, sourceAppId);
  const eventId = type === 'user.created' ? recordId.toString() : randomUUID();
  return { id: eventId, type, appId, recordId, at: new Date(), revision: 1 };
}
