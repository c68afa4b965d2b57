import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { JsonObject, tagsOf } from '../api/validation.ts';
import type { AppScope, ScopedApp } from '../apps/app-scope.ts';
import { AppNotFound, InvalidInput, NotFound, PreconditionFailed, Unavailable } from '../core/errors.ts';
import { FIELD_KEY_PATTERN } from '../fields/base/kind.ts';
import { oldKeyIssues } from '../fields/renames.ts';
import type { UserCollection } from '../records/record.ts';
import {
  EDITED_PROJECTION,
  type EditedRecord,
  type EditLimits,
  editWrite,
  etagOf,
  isNamed,
  type RecordEdit,
} from '../records/record-edit.ts';
import { parseRecordId, type RecordId } from '../records/record-id.ts';
import { DETAILS_PROJECTION, type DetailedRecord, presentDetails } from '../records/record-json.ts';
import type { RecordMoves, RepairRenames } from '../records/record-moves.ts';
import type { LateWrite, RepairSlots } from '../records/slot-records.ts';
import type { SlotStore } from '../records/slot-store.ts';
import { slotWrites } from '../records/slot-writes.ts';
import type { Lease, SchemaLeases } from '../schemas/schema-leases.ts';
import { ScopeParameter } from '../search/parameters.ts';
import { DetailedUser, RECORD_ETAG, UserPath } from '../search/users.endpoints.ts';

/** More than the fields and the extra keys of a record. */
const MAX_UNSET = 300;
const MAX_REMOVED_ITEMS = 1_000;

const Key = z.string('must be a text').regex(FIELD_KEY_PATTERN, 'is not a valid key').meta({ example: 'phone' });

const Edit = z
  .strictObject({
    set: JsonObject.default({}).meta({ description: 'Values that replace the stored ones', example: { name: 'Ada' } }),
    unset: z
      .array(Key)
      .max(MAX_UNSET)
      .default([])
      .meta({ description: 'Keys to remove', example: ['phone'] }),
    removeItems: z
      .array(z.strictObject({ key: Key, timestamp: z.string('must be a text').min(1).max(100) }))
      .max(MAX_REMOVED_ITEMS)
      .default([])
      .meta({
        description: 'Items of lists to remove, by the `timestamp` of each',
        example: [{ key: 'visits', timestamp: '2026-01-31T08:30:00.000Z' }],
      }),
  })
  .superRefine(checkEdit)
  .meta({ id: 'UserChange' });

/** The endpoint that changes a record (spec 4.3). */
export const editingEndpoints = {
  editUser: {
    method: 'patch',
    path: '/auth/users/:id',
    auth: 'session or key',
    load: 'light',
    scope: 'users:write',
    audit: 'user.changed',
    tag: 'Users',
    summary: "Change one of the session's users",
    description:
      'One atomic change, checked by the newest schema. What it does not name stays as it is. With `If-Match` it takes place only if the record is in that state, otherwise the response is 412.',
    params: UserPath,
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    headers: z.object({
      'if-match': z.string().optional().meta({
        description: 'The ETag of the record, or its `updatedAt` in quotes',
        example: '"2026-01-31T08:30:00.000Z"',
      }),
    }),
    body: jsonBody(Edit, 'Invalid change'),
    response: DetailedUser,
    responseHeaders: RECORD_ETAG,
    errors: [404, 409, 412],
  },
} as const satisfies Endpoints;

interface Parts {
  set: Record<string, unknown>;
  unset: string[];
  removeItems: { key: string }[];
}

function checkEdit({ set, unset, removeItems }: Parts, context: z.RefinementCtx): void {
  const parts = [Object.keys(set), unset, [...new Set(removeItems.map(({ key }) => key))]];
  const keys = parts.flat();
  if (keys.length === 0) context.addIssue({ code: 'custom', path: [], message: 'must name a change' });
  if (new Set(keys).size < keys.length) {
    context.addIssue({ code: 'custom', path: [], message: 'must name each key once' });
  }
}

/** Each further attempt means that a concurrent write changed the record or its schema. */
const MAX_ATTEMPTS = 24;

/** A failed write may still take effect for this long. */
const SETTLES_WITHIN_MS = 5_000;

type RecordEditor = ReturnType<typeof createRecordEditor>;

/** Changes single records for operators (spec 4.3). */
export function createRecordEditor(deps: {
  users: UserCollection;
  leases: Pick<SchemaLeases, 'hold' | 'forget'>;
  repairSlots: RepairSlots;
  moves: Pick<RecordMoves, 'one'>;
  repairRenames: RepairRenames;
  limits: EditLimits;
  newId: (at: Date) => RecordId;
  /** Makes the epoch of an app's slots at least this one. */
  catchUp: SlotStore['catchUp'];
  /** Called when an edit stored an event. */
  onEvents: () => void;
}) {
  const { users, leases, repairSlots, moves, repairRenames, limits, newId, catchUp, onEvents } = deps;

  /** @throws {NotFound} when the app was deleted, or created again */
  async function leaseOn(app: ScopedApp): Promise<Lease> {
    const lease = await leases.hold(app.sourceAppId);
    if (!lease?.app.id.equals(app.id)) throw new AppNotFound();
    return lease;
  }

  /** Applies an edit to the record as it is stored now; undefined: it, or its schema, changed. */
  async function attempt(
    _id: RecordId,
    lease: Lease,
    edit: RecordEdit,
    tags: readonly string[] | undefined,
  ): Promise<DetailedRecord | undefined> {
    const { app, schema, validator, renames } = lease;
    const filter = { _id, appId: app.id };
    if (renames) await moves.one(filter, renames);
    const record = await users.findOne<EditedRecord>(filter, { projection: EDITED_PROJECTION });
    if (!record) throw new NotFound('User not found');
    if (tags && !isNamed(tags, record)) throw new PreconditionFailed('The record was changed meanwhile');
    if (record.schemaVersion > schema.version) {
      leases.forget(app.sourceAppId);
      return undefined;
    }
    const { slotEpoch = 0 } = record;
    if (slotEpoch > (app.slotEpoch ?? 0)) {
      await catchUp(app.id, slotEpoch);
      leases.forget(app.sourceAppId);
      return undefined;
    }
    const removed = Object.fromEntries(edit.unset.map((key) => [key, undefined]));
    const slots = slotWrites(app.slots, { set: { ...edit.set, ...removed }, append: {} });
    const eventId = app.hasConsumers ? newId(new Date()) : undefined;
    const context = {
      ...{ schemaVersion: schema.version, fieldKeys: validator.fieldKeys, limits, eventId },
      ...{ slots, slotEpoch: app.slotEpoch },
    };
    const write = editWrite(record, edit, context);
    const late = { appId: app.id, sourceAppId: app.sourceAppId, email: record.email, slots };
    try {
      const options = { projection: DETAILS_PROJECTION, returnDocument: 'after' } as const;
      const edited = await users.findOneAndUpdate(write.filter, write.update, options);
      if (edited && eventId) onEvents();
      if (edited && !lease.isCurrent()) await revalidate(lease, late);
      return edited ?? undefined;
    } catch (error) {
      if (!lease.isCurrent()) repairLater(lease, late);
      throw error;
    }
  }

  /**
   * For a write that ended after its lease. An edit creates no record, so a deletion of the app
   * removes what it wrote; but a build of an index may have passed the record before.
   */
  async function revalidate({ app, schema, schemaId, isRevoked }: Lease, write: LateWrite): Promise<void> {
    const current = await leases.hold(app.sourceAppId);
    // A revoked lease came from a former primary and may have shown an old schema (invariant 4).
    if (isRevoked() && current?.schemaId !== schemaId) throw new Unavailable();
    if (current?.schemaId !== schemaId) await repairRenames(write, schema.version);
    await repairSlots(write, app.slots);
  }

  /** For a failed write, which may still take effect. */
  function repairLater({ app: { slots }, schema }: Lease, write: LateWrite): void {
    const repair = async (): Promise<void> => {
      await repairRenames(write, schema.version);
      await repairSlots(write, slots);
    };
    setTimeout(() => void repair().catch(() => undefined), SETTLES_WITHIN_MS).unref();
  }

  return {
    /**
     * Changes a record in one atomic step and resolves with it. The change is checked by the newest
     * schema; what it does not name stays as it is, also when submissions arrive at the same time.
     *
     * @param tags the tags of the only states to change (records/record-edit.ts); undefined: any
     * @throws {InvalidInput} when the schema or the number of keys refuses it
     * @throws {NotFound} when the app has no record of this id
     * @throws {PreconditionFailed} when the record is in another state; nothing is changed
     * @throws {Conflict} when an item to remove does not exist
     * @throws {TooLarge} when the record would exceed its size limit
     * @throws {Unavailable} when the record keeps changing
     */
    async edit(app: ScopedApp, id: string, edit: RecordEdit, tags?: readonly string[]): Promise<DetailedRecord> {
      const _id = parseRecordId(id);
      for (let count = 0; count < MAX_ATTEMPTS; count += 1) {
        const lease = await leaseOn(app);
        const issues = lease.validator.editIssues(edit.set, edit.unset);
        if (lease.renames && issues.length === 0) issues.push(...oldKeyIssues(edit.set, lease.renames));
        if (issues.length > 0) throw new InvalidInput('Invalid change', issues);
        if (!_id) throw new NotFound('User not found');
        const edited = await attempt(_id, lease, edit, tags);
        if (edited) return edited;
      }
      throw new Unavailable('This record is changing too often; try again shortly', 1);
    },
  };
}

/** The endpoint that changes a record (spec 4.3). */
export const editingRoutes = (editor: RecordEditor, scope: AppScope): Route[] =>
  routes(editingEndpoints, {
    editUser: async ({ principal, params, query, headers, body, res }) => {
      const app = await scope(principal, query.sourceAppId);
      const record = await editor.edit(app, params.id, body, tagsOf(headers['if-match']));
      res.setHeader('ETag', etagOf(record));
      return presentDetails(record);
    },
  });
