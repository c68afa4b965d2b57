import type { AppPart } from '../../core/apps/app-part.ts';
import { holdsFiles } from '../../core/fields/definition.ts';
import type { SchemaStep } from '../../core/schemas/schemas.service.ts';
import type { RecordPart } from '../../core/users/record-part.ts';
import type { HeldFiles } from '../held/held.model.ts';
import type { RecordHistory } from '../history/history.ts';
import type { KeptSubmissions } from '../history/kept-submissions.ts';
import type { AppConsumers } from '../outbox/app-consumers.ts';
import type { RecordBase, RecordFeature } from '../records/base.ts';
import type { RecordEditor } from '../records/record-edit.ts';
import { createFileClaims, type FileClaims } from './file-claims.ts';
import { createFileCleaner } from './file-cleaner.ts';
import { createFilePlaces } from './file-places.ts';
import { createFileScans } from './file-scans.ts';
import type { Files } from './files.ts';

/** The consumer of apps whose schema has, or had, a field of files. */
const FILE_CONSUMER = 'files';

declare module '../../core/apps/app.ts' {
  interface App {
    /** Whether its records may name files. */
    keepsFiles?: boolean;
  }
}

/** Whether an app keeps files: since a version of its schema had a field of files. */
export const fileAppPart: AppPart = {
  read: ({ consumers = [] }) => ({ keepsFiles: consumers.includes(FILE_CONSUMER) }),
  // The app was read first: perhaps before it got the consumer of its first field of files.
  underSchema: (_app, { validator }) => (validator.fileKeys ? { hasConsumers: true, keepsFiles: true } : undefined),
};

/** Adds the consumer of files before the first version with a field of files. */
export const createFileStep = (consumers: Pick<AppConsumers, 'add'>): SchemaStep => ({
  // Before the version, so that each write under it has an event.
  async before(appId, _change, { fields }, until) {
    if (fields.some(holdsFiles)) await consumers.add(appId, FILE_CONSUMER, until);
  },
});

/** Creates what connects files with records and with what else names files (spec 4.14.3). */
export function createRecordFiles(
  { users, reader, clock, guardOfErased, signal, renames }: RecordBase,
  others: { files: Files; history: RecordHistory; kept: KeptSubmissions; held: HeldFiles },
) {
  const { history, kept, held } = others;
  const { files, chunks, content, onRemoved } = others.files;
  const findPlace = createFilePlaces({
    users,
    movedNames: history.movedNames,
    keptNames: kept.names,
    heldNames: held.names,
  });
  const claims = createFileClaims({ files, findPlace, renamesSince: renames.since });
  const cleaner = createFileCleaner({
    files,
    chunks,
    stores: content,
    onRemoved,
    findPlace,
    clock,
    guardOfErased,
    signal,
    recordsOf: reader.idsOfPerson,
    heldOf: held.idsOf,
  });
  const marking = { markHeld: held.markInfected, markKept: kept.markInfected };
  return {
    claims,
    cleaner,
    findPlace,
    feature: {
      part: createFilePart(claims),
      jobs: [cleaner.job],
      owned: [cleaner.owned],
      traces: [cleaner.traces],
      consumers: [cleaner.consumer],
    } satisfies RecordFeature,
    /** The job that scans files, and marks the infected ones in records. */
    scans: (editor: RecordEditor) => createFileScans({ ...others.files, users, editor, ...marking }),
  };
}

/**
 * The files of a record (spec 4.14): an edit claims those that it adds. A submission has its claim
 * from the request that resolved its tokens.
 */
const createFilePart = ({ claimAdded: claim }: Pick<FileClaims, 'claimAdded'>): RecordPart => ({
  name: 'files',
  members: {},
  under: ({ app }) => (app.keepsFiles ? { edits: { name: 'files', claim } } : undefined),
});
