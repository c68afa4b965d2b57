import type { ScopedApp } from '../../core/api/principal.ts';
import { holdsFiles } from '../../core/fields/definition.ts';
import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { AppNotFound, InvalidInput, NotFound } from '../../platform/core/errors.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { Incoming } from '../files/incoming.ts';
import type { HistoryAuthor } from '../history/history-entries.ts';
import type { DetailedRecord } from '../record-reads/record-details.ts';
import type { FindDetails } from '../record-reads/record-reader.ts';
import { type RecordEditor, refuseInvalid } from '../records/record-edit.ts';

/** A file that the staff sends for a record. */
interface Addition {
  /** The key of a field of files. */
  field: string;
  name: string;
  /** The number of bytes, if the client says it. */
  declared: number | undefined;
  by: HistoryAuthor;
  /** The states of the record that may be changed; undefined: any. */
  tags: readonly string[] | undefined;
  leftMs: () => number;
  /** Rejects when the caller may no longer change the record. */
  recheck(): Promise<void>;
}

export type StaffUploads = ReturnType<typeof createStaffUploads>;

/** Adds files of the staff to records (spec 4.14.6). */
export function createStaffUploads(deps: {
  leases: Pick<SchemaLeases, 'hold'>;
  incoming: Pick<Incoming, 'receive' | 'withdraw'>;
  findDetails: FindDetails;
  editor: Pick<RecordEditor, 'change'>;
}) {
  const { leases, incoming, findDetails, editor } = deps;

  return {
    /**
     * Receives a file and adds it to the list of the record, as an edit. A file whose edit is
     * refused is removed.
     * @throws {InvalidInput} `tooManyFiles` when the list is full, before the file is received
     * @throws {NotFound} when the app has no such record or field of files
     * @throws as the upload of a file (incoming.ts), and as an edit
     */
    async add(app: ScopedApp, id: string, addition: Addition, source: AsyncIterable<Buffer>): Promise<DetailedRecord> {
      const { field, name, declared, by, tags, leftMs, recheck } = addition;
      const lease = await leases.hold(app.sourceAppId);
      if (!lease?.app.id.equals(app.id)) throw new AppNotFound();
      const definition = fileField(lease, field);
      const before = await findDetails(app.id, id);
      if (!before) throw new NotFound('userNotFound');
      const { maxFiles = 1 } = definition;
      if (filesOf(before.data, field).length >= maxFiles) {
        throw new InvalidInput('invalidChange', [{ path: `data.${field}`, ...say('tooManyFiles', { max: maxFiles }) }]);
      }
      const {
        token: _,
        expiresAt: __,
        ...file
      } = await incoming.receive(
        { appId: app.id, field: definition, version: lease.schema.version, name, declared },
        source,
      );
      const value = { ...file, id: file.id.toString() };
      const edit = async ({ data }: { data: Record<string, unknown> }, current: Lease) => {
        fileField(current, field);
        const added = { set: { [field]: [...filesOf(data, field), value] }, unset: [], removeItems: [] };
        refuseInvalid(added, current);
        return added;
      };
      try {
        await recheck();
        return await editor.change(app, id, edit, by, leftMs, tags);
      } catch (error) {
        await incoming.withdraw(app.id, file.id);
        throw error;
      }
    },
  };
}

/** @throws {NotFound} when the field is none of files */
function fileField({ schema }: Lease, key: string) {
  const found = schema.fields.find((field) => field.key === key);
  if (!found || !holdsFiles(found)) throw new NotFound('fileFieldNotFound');
  return found;
}

function filesOf(data: Readonly<Record<string, unknown>>, key: string): unknown[] {
  const list = Object.hasOwn(data, key) ? data[key] : [];
  return Array.isArray(list) ? list : [];
}
