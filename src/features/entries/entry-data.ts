import type { FieldDefinition } from '../../core/fields/definition.ts';
import { holdsFiles } from '../../core/fields/definition.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import type { PersonData, PersonFile } from '../people/person-data.ts';

/** The entry whose data is given out. */
interface ExportedEntry {
  app: Pick<Lease['app'], 'id'>;
  /** The fields that are not of the staff. */
  fields: readonly FieldDefinition[];
  id: RecordId;
  email: string;
}

type Values = Readonly<Record<string, unknown>>;

/** The members of entries that operators did not make. */
const OF_RECORD = ['kind', 'id', 'email', 'data', 'createdAt', 'updatedAt', 'confirmedAt', 'consents'] as const;
const OF_SUBMISSION = ['kind', 'id', 'at', 'data', 'page', 'lang'] as const;

export type EntryData = ReturnType<typeof createEntryData>;

/** What people take away of their entry (spec 4.16): nothing that operators know or did. */
export function createEntryData(deps: {
  records: PersonData;
  submissions: PersonData;
  files: PersonData;
  /** Resolves with the keys that were fields of the staff in any version of the schema. */
  staffKeysOf(appId: Lease['app']['id']): Promise<ReadonlySet<string>>;
}) {
  const { records, submissions, files, staffKeysOf } = deps;

  async function* entries({ app, fields, id, email }: ExportedEntry, signal?: AbortSignal) {
    const ofEveryone = new Set(fields.map(({ key }) => key));
    const ofStaff = await staffKeysOf(app.id);
    const isOpen = (key: string): boolean => ofEveryone.has(key) || !ofStaff.has(key);
    const shownData = (data: unknown) =>
      Object.fromEntries(Object.entries(data as Values).filter(([key]) => isOpen(key)));
    for await (const { shown } of records.entriesOf([app.id], email)) {
      if (shown.id === id.toString()) yield { ...pick(shown, OF_RECORD), data: shownData(shown.data) };
    }
    for await (const { shown } of submissions.entriesOf([app.id], email)) {
      if (signal?.aborted) return;
      if (shown.record === id.toString()) yield { ...pick(shown, OF_SUBMISSION), data: shownData(shown.data) };
    }
  }

  return {
    /** Yields the record and its kept submissions. */
    entries: (of: ExportedEntry, signal: AbortSignal): AsyncIterable<Record<string, unknown>> => entries(of, signal),

    /** Yields the files that they name in the fields of everyone. */
    async *files(of: ExportedEntry, signal: AbortSignal): AsyncGenerator<PersonFile, void> {
      const keys = of.fields.filter(holdsFiles).map(({ key }) => key);
      if (keys.length === 0 || !files.filesOf) return;
      const named = new Set<unknown>();
      for await (const { data } of entries(of, signal)) {
        for (const key of keys) {
          const list = (data as Values)[key];
          for (const file of Array.isArray(list) ? list : []) named.add((file as { id?: unknown } | null)?.id);
        }
      }
      for await (const file of files.filesOf([of.app.id], of.email)) {
        if (signal.aborted) return;
        if (named.has(file.id)) yield file;
      }
    },
  };
}

function pick(shown: Values, members: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(members.filter((name) => name in shown).map((name) => [name, shown[name]]));
}
