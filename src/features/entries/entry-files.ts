import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
import { type FileClaims, type FileRequest, filesAddedBy } from '../files/file-claims.ts';

type Values = Readonly<Record<string, unknown>>;

/** What an edit has of files after they were looked up. */
interface EditedFiles {
  /** With the files in the place of what names them. */
  set: Record<string, unknown>;
  problems: readonly Issue[];
  /** Claims those that a checked edit adds to the record. */
  claimFor(record: RecordId, set: Values): Promise<void>;
}

/**
 * Puts files in the place of what a person sends of them: the ids of files of the record, or
 * objects that have one, and the tokens of uploads. The rest is left out, and a problem names it.
 * The write claims the files that it adds again (file-part.ts), so its time is not limited here.
 */
export async function filesOfEdit(
  stored: Values,
  sent: Values,
  { request, lease, claims }: { request: FileRequest; lease: Lease; claims: Pick<FileClaims, 'resolve' | 'of'> },
): Promise<EditedFiles> {
  const keys = lease.validator.publicFileKeys ?? new Set<string>();
  const set: Record<string, unknown> = { ...sent };
  const problems: Issue[] = [];
  const kept = new Set<unknown>();
  for (const key of keys) {
    const list = Object.hasOwn(sent, key) ? sent[key] : undefined;
    if (!Array.isArray(list)) continue;
    const left = new Map(listOf(stored, key).map((file) => [idOf(file), file]));
    const files = list.map((one: unknown) => {
      const id = typeof one === 'string' ? one : idOf(one);
      const file = left.get(id);
      // Each file once.
      left.delete(id);
      if (file !== undefined) kept.add(id);
      return file;
    });
    const tokens = list.flatMap((one: unknown, at) => (files[at] === undefined ? [{ one, at }] : []));
    const found = await claims.resolve(request, new Set([key]), { [key]: tokens.map(({ one }) => one) });
    const refused = new Set(found.problems.map(({ path }) => Number(path.split('.')[2])));
    const arrived = listOf(found.data, key)[Symbol.iterator]();
    for (const [index, { at }] of tokens.entries()) {
      const file: unknown = refused.has(index) ? undefined : arrived.next().value;
      if (file === undefined) problems.push({ path: `data.${key}.${at}`, ...say('fileToken') });
      files[at] = file;
    }
    set[key] = files.filter((file) => file !== undefined);
  }

  return {
    set,
    problems,
    async claimFor(record, checked) {
      const added = filesAddedBy({ set: checked }, keys).filter(({ id }) => !kept.has(id));
      await claims.of(request, added)?.forRecord(record);
    },
  };
}

function listOf(values: Values, key: string): unknown[] {
  const list = Object.hasOwn(values, key) ? values[key] : undefined;
  return Array.isArray(list) ? list : [];
}

const idOf = (file: unknown): unknown => (file as { id?: unknown } | null)?.id;
