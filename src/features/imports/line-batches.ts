import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import type { RecordLimits } from '../../core/users/record-limits.ts';
import type { RecordParts } from '../../core/users/record-part.ts';
import { NamedError } from '../../platform/core/errors.ts';
import { createTurns } from '../../platform/core/turns.ts';
import { isSameIndexes } from '../indexes/index-slots.ts';
import { ALL_APPS, type Suppressions } from '../people/suppressions.ts';
import type { Archive, Archives } from './archive.ts';
import type { ContentStore } from './content.ts';
import type { FilePosition, ImportDocument, ImportLayout } from './imports.model.ts';
import type { ResolveFiles } from './line-files.ts';
import { createLineReader, type Line } from './line-reader.ts';
import { type CheckedLine, checkLine, createValueReader, type ReadValues } from './line-values.ts';

const MAX_BATCH_BYTES = 1024 * 1024;
/** The longest time in which a batch is read and checked. */
const MAX_COLLECT_MS = 200;

/** The app of the import was deleted. */
export class AppIsGone extends NamedError {}

interface BatchLine {
  line: Line;
  checked: CheckedLine;
}

export interface LineBatch {
  entries: readonly BatchLine[];
  /** Suppressed emails; later ones are excluded from the import (import-documents.ts). */
  suppressed: ReadonlySet<string>;
  lease: Lease;
  end: FilePosition;
  isLast: boolean;
}

export type StartedImport = ImportDocument & { layout: ImportLayout; position: FilePosition };

export type LineBatches = ReturnType<typeof createLineBatches>;

/** Reads and checks the lines of an import in batches, from the stored position. */
export function createLineBatches(
  deps: {
    content: ContentStore;
    leases: SchemaLeases;
    suppressions: Pick<Suppressions, 'among' | 'has'>;
    limits: RecordLimits;
    parts: RecordParts;
    archives: Pick<Archives, 'of'>;
    resolveFiles: ResolveFiles;
  },
  started: StartedImport,
) {
  const { content, leases, suppressions, limits, parts, archives, resolveFiles } = deps;
  const { appId, sourceAppId, settings, layout, chunks, received, position } = started;
  const isArchive = settings.format === 'zip';
  const readFrom = (offset: number) => (isArchive ? linesFrom(offset) : content.readFrom(chunks, offset, received));
  let archive: Archive | undefined;
  const reader = createLineReader(readFrom, layout, settings.format, position);
  let carried: Line | undefined;
  let reading: { schemaId: string; timeZone: string | undefined; read: ReadValues } | undefined;

  async function* linesFrom(offset: number): AsyncGenerator<Buffer> {
    yield* (await archives.of(started)).linesFrom(offset);
  }

  /** @throws {AppIsGone} */
  async function holdLease(): Promise<Lease> {
    const lease = await leases.hold(sourceAppId);
    if (!lease?.app.id.equals(appId)) throw new AppIsGone();
    return lease;
  }

  function readerFor({ app, schema, schemaId }: Lease): ReadValues {
    const timeZone = app.form?.timeZone;
    if (reading?.schemaId !== schemaId || reading.timeZone !== timeZone) {
      reading = { schemaId, timeZone, read: createValueReader(schema, settings, layout, timeZone) };
    }
    return reading.read;
  }

  function check({ text, problem }: Line, lease: Lease, now: Date): CheckedLine {
    if (text === undefined || problem !== undefined)
      return { email: undefined, refusal: problem?.ofLine.message ?? '' };
    return checkLine(readerFor(lease)(text), lease, settings, { limits, parts, resolveFiles, archive }, now);
  }

  async function fill(lease: Lease, maxLines: number): Promise<{ entries: BatchLine[]; isLast: boolean }> {
    const begun = performance.now();
    const turn = createTurns();
    const now = new Date();
    const emails = new Set<string>();
    const entries: BatchLine[] = [];
    for (let bytes = 0; entries.length < maxLines && bytes < MAX_BATCH_BYTES; ) {
      const line = carried ?? (await reader.next());
      carried = undefined;
      if (!line) return { entries, isLast: true };
      const checked = check(line, lease, now);
      if (checked.email !== undefined && emails.has(checked.email)) {
        carried = line;
        break;
      }
      if (checked.email !== undefined) emails.add(checked.email);
      entries.push({ line, checked });
      bytes += line.bytes + (checked.files?.bytes ?? 0);
      if ((await turn()) && performance.now() - begun > MAX_COLLECT_MS) break;
    }
    return { entries, isLast: false };
  }

  /** Most apps have no suppressions, and a search for each email costs hashes. */
  async function findSuppressed(entries: readonly BatchLine[]): Promise<Set<string>> {
    const emails = entries.flatMap(({ checked: { email } }) => email ?? []);
    if (emails.length === 0) return new Set();
    const begin = new Date(0);
    const any = await Promise.all([appId, ALL_APPS].map((id) => suppressions.has(id, 'since', begin)));
    return any.includes(true) ? suppressions.among(appId, emails) : new Set();
  }

  return {
    holdLease,

    /** Resolves with at most `maxLines` lines from `from` on. @throws {AppIsGone} */
    async next(maxLines: number, from: FilePosition): Promise<LineBatch> {
      const lease = await holdLease();
      if (isArchive) archive = await archives.of(started);
      const { entries, isLast } = await fill(lease, maxLines);
      const end = isLast ? reader.position() : (entries.at(-1)?.line.next() ?? from);
      return { entries, suppressed: await findSuppressed(entries), lease, end, isLast };
    },

    /** Checks a batch again when the state has changed. @throws {AppIsGone} */
    async renewed(batch: LineBatch): Promise<LineBatch> {
      const lease = await holdLease();
      if (isSameState(lease, batch.lease)) return { ...batch, lease };
      const now = new Date();
      return {
        ...batch,
        lease,
        entries: batch.entries.map(({ line }) => ({ line, checked: check(line, lease, now) })),
      };
    },
  };
}

/** Whether a line has the same result under two leases. */
export function isSameState(one: Lease, other: Lease): boolean {
  return (
    one.schemaId === other.schemaId &&
    isSameIndexes(one.app, other.app) &&
    one.app.slotEpoch === other.app.slotEpoch &&
    one.app.form?.timeZone === other.app.form?.timeZone &&
    one.app.hasConsumers === other.app.hasConsumers
  );
}
