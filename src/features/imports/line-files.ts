import { UUID } from 'mongodb';
import { holdsFiles } from '../../core/fields/definition.ts';
import type { FileValue } from '../../core/fields/kinds/file.ts';
import { applyRules } from '../../core/schemas/checked-data.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import { InvalidInput, TooLarge } from '../../platform/core/errors.ts';
import { createOrderedIds } from '../../platform/database/ordered-ids.ts';
import { type Issue, type Reason, say } from '../../platform/languages/reasons.ts';
import { typeOfName } from '../../platform/text/file-types.ts';
import type { Arrival } from '../files/arrival.ts';
import type { FileClaims } from '../files/file-claims.ts';
import type { ByteRange } from '../files/file-content.ts';
import { archivePath, safeName } from '../files/file-names.ts';
import type { Incoming } from '../files/incoming.ts';
import type { LineFiles } from '../records/import-lines.ts';
import { type Archive, type ArchivedFile, DamagedArchive } from './archive.ts';

/** More than a field may have (core/fields/kinds/file.ts). */
const MAX_LISTED = 20;
/** The hash of a file that nothing states, until it is read. */
const UNKNOWN_HASH = '0'.repeat(64);

/** What a line says of a file. */
interface NamedFile {
  /** Where it may be in the archive, the likeliest first. */
  paths: string[];
  name: string;
  sha256?: string | undefined;
}

interface Source {
  arrival: Arrival;
  file: ArchivedFile;
  value: FileValue;
  /** Its place in the line. */
  place: string;
}

export interface ResolvedLine {
  data: Record<string, unknown>;
  problems: Issue[];
  /** Undefined when the line has no value of a field of files. */
  files?: LineFiles & { bytes: number };
}

/** @param place the path of a value @returns the path with the name of the column */
type DescribePlace = (place: string) => string;

export type ResolveFiles = (
  sent: Record<string, unknown>,
  lease: Lease,
  archive: Archive | undefined,
  describe: DescribePlace,
) => ResolvedLine;

/**
 * Creates the function that puts the values of new files in the place of what a line says of its
 * files (spec 4.7.1). They are stored when the line is applied, under the ids that they have here.
 */
export function createLineFiles(deps: {
  incoming: Pick<Incoming, 'receive' | 'check' | 'withdraw'>;
  claims: Pick<FileClaims, 'request' | 'of'>;
}): ResolveFiles {
  const { incoming, claims } = deps;
  const newId = createOrderedIds();

  async function store({ arrival, file, value }: Source, isDry: boolean): Promise<void> {
    if (isDry) return incoming.check(arrival, file.size, (range) => partOf(file.open(), range));
    const { name, type, size, sha256 } = await incoming.receive(arrival, file.open());
    Object.assign(value, { name, type, size, sha256 });
  }

  return (sent, lease, archive, describe) => {
    const { fileKeys } = lease.validator;
    if (!fileKeys) return { data: sent, problems: [] };
    const data = { ...applyRules(sent, lease) };
    const problems: Issue[] = [];
    const values: Record<string, FileValue[]> = {};
    const sources = new Map<string, Source>();
    for (const field of lease.schema.fields) {
      const { key } = field;
      if (!holdsFiles(field) || !Object.hasOwn(data, key)) continue;
      const given = data[key];
      const list: FileValue[] = [];
      for (const [index, one] of (Array.isArray(given) ? given : [given]).slice(0, MAX_LISTED).entries()) {
        const place = `data.${key}.${index}`;
        const found = find(one, archive);
        if ('code' in found) {
          problems.push({ path: place, ...found });
          continue;
        }
        const { file, named } = found;
        const id = newId(new Date());
        const sha256 = file.sha256 ?? named.sha256;
        const name = safeName(named.name);
        const type = typeOfName(name) ?? ('' as FileValue['type']);
        const value = { id: id.toString(), name, type, size: file.size, sha256: sha256 ?? UNKNOWN_HASH };
        const { version } = lease.schema;
        const arrival = { appId: lease.app.id, field, version, name, declared: file.size, id, sha256 };
        list.push(value);
        sources.set(value.id, { arrival, file, value, place });
      }
      values[key] = list;
      data[key] = list;
    }
    if (Object.keys(values).length === 0) return { data: sent, problems };
    const done = new Set<string>();
    const request = claims.request(lease.app.id, { usesAtOnce: false });
    const files: ResolvedLine['files'] = {
      claimOf: (added) => claims.of(request, added),
      values,
      bytes: [...sources.values()].reduce((sum, { file }) => sum + file.size, 0),
      async store(id, isDry) {
        const source = sources.get(id);
        if (!source || done.has(id)) return undefined;
        try {
          await store(source, isDry);
          done.add(id);
          return undefined;
        } catch (error) {
          const refusal = refusalOf(error, describe(source.place));
          // The line is refused, with those that were stored before this one.
          if (!isDry) for (const one of done) await incoming.withdraw(lease.app.id, new UUID(one));
          done.clear();
          return refusal;
        }
      },
    };
    return { data, problems, files };
  };
}

/** The file of an archive that a line names: by its path, or as exports do. */
function find(one: unknown, archive: Archive | undefined): { named: NamedFile; file: ArchivedFile } | Reason {
  if (!archive) return say('filesNeedArchive');
  const named = namedIn(one);
  const [file] = named?.paths.flatMap((path) => archive.find(path) ?? []) ?? [];
  return named && file ? { named, file } : say('fileNotInArchive');
}

function namedIn(one: unknown): NamedFile | undefined {
  if (typeof one === 'string') return { paths: [one], name: one };
  const { id, name, sha256 } = (one ?? {}) as Partial<Record<keyof FileValue, unknown>>;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  const hash = typeof sha256 === 'string' ? sha256 : undefined;
  // Exports of before 1.1 have the name as it is.
  return { paths: [archivePath(id, name), `files/${id}/${name}`], name, sha256: hash };
}

/** @throws what is no refusal of the file */
function refusalOf(error: unknown, place: string): string {
  if (error instanceof DamagedArchive) return `${place} ${say('fileDamaged').message}`;
  if (error instanceof InvalidInput) return `${place} ${error.issues?.[0]?.message ?? error.message}`;
  if (error instanceof TooLarge) return `${place}: ${error.message}`;
  throw error;
}

/** The bytes of a range. Reads to the end for the last ones, so that all of the file is checked. */
async function* partOf(source: AsyncIterable<Buffer>, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const bytes of source) {
    const part = bytes.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += bytes.length;
    if (part.length > 0) yield part;
    if (at > end + 1) return;
  }
}
