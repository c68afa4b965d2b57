import { createRecordList } from '../../core/users/record-list.ts';
import type { RecordPart } from '../../core/users/record-part.ts';
import type { Submission } from '../../core/users/submission.ts';
import type { UserCollection } from '../../core/users/users.model.ts';
import { increment, push, type Requirement, type Statement, type WritePart } from '../../core/users/write-part.ts';
import type { Definition } from '../../platform/database/mongoose.ts';
import { createRecordPages } from '../record-reads/record-pages.ts';
import type { RecordBase, RecordFeature } from '../records/base.ts';
import type { EditPart } from '../records/edit-part.ts';
import { createHistoryModel, createRecordHistory, type RecordHistory } from './history.ts';
import {
  entrySchema,
  HAS_ROOM,
  historyMoveSchema,
  INLINE_SIZE,
  type InlineSize,
  isFull,
  MAX_INLINE_BYTES,
  maxEntryBytes,
  replacedKeys,
  type SizedEntry,
  sizedEntry,
  submissionEntry,
  valuesAre,
  type WithHistory,
  withReplaced,
} from './history-entries.ts';
import { createKeptModel, createKeptSubmissions } from './kept-submissions.ts';

const HISTORY_MEMBERS: Definition<WithHistory> = {
  history: [entrySchema],
  revision: Number,
  historyBytes: Number,
  historyMove: historyMoveSchema,
  movedHistory: Boolean,
};

/** Creates the history of records and the submissions that apps keep (spec 4.3.5 and 4.3.7). */
export function createHistory({ config, connection, users, guardOfErased, load, list }: RecordBase) {
  const models = { history: createHistoryModel(connection), kept: createKeptModel(connection) };
  const kept = createKeptSubmissions(users, models.kept.collection, guardOfErased);
  const history = createRecordHistory({
    users,
    moved: models.history.collection,
    keep: kept.keep,
    guardOfErased,
    maxEntry: maxEntryBytes(config.recordLimit),
  });
  // Kept submissions have the members of records that both read.
  const submissions = models.kept.collection as unknown as UserCollection;
  const { ranges, pages } = createRecordPages(submissions, load, createRecordList(submissions, load, list.showing));
  return {
    history,
    kept,
    /** The collection of kept submissions. */
    submissions,
    /** For the inbox. */
    read: { dropOld: kept.dropOld, setDone: kept.setDone, personal: kept.personal, ranges, pages },
    feature: {
      part: createHistoryPart(history),
      models: Object.values(models),
      owned: [history, kept.owned],
      personal: [kept.personal, history.personal],
      traces: [history.traces, kept.traces],
      consumers: [history.consumer, kept.consumer],
    } satisfies RecordFeature,
  };
}

type HistoryDeps = Pick<RecordHistory, 'moveOut' | 'noteUse' | 'maxEntry'>;

declare module '../../core/users/submission.ts' {
  interface SubmissionFacts {
    /** Whether the app keeps it (spec 4.3.7). */
    isKept?: boolean;
    /** Of an update by an import: its entry, once the record was read. */
    entry?: SizedEntry;
  }
}

/**
 * The history of a record (spec 4.3.5): each edit has an entry, each update by an import, and
 * each submission in the apps that keep them.
 */
export function createHistoryPart(history: HistoryDeps): RecordPart {
  const room: Requirement<InlineSize> = {
    name: 'room for an entry',
    filter: HAS_ROOM,
    facts: { ...INLINE_SIZE, historyBytes: '$historyBytes' },
    isMet: (inline) => !isFull(inline),
    restore: (_facts, { _id, appId, email }) => history.moveOut({ _id, appId, email }),
  };
  const edits = editEntries(history, room);
  return {
    name: 'history',
    members: HISTORY_MEMBERS,
    uncounted: 'historyBytes',

    under() {
      return {
        begin(submission) {
          if (submission.by === 'import') return importWrite(submission, room);
          return submission.facts.isKept ? submissionWrite(submission, history, room) : undefined;
        },
        edits,
      };
    },
  };
}

/** The stored values that a submission removes or resets, and its entry with them. */
interface Replaced {
  values: Readonly<Record<string, unknown>>;
  entry: SizedEntry;
}

function submissionWrite(
  { change, now, schemaVersion }: Submission,
  history: HistoryDeps,
  room: Requirement,
): WritePart<Replaced, Record<string, unknown>> {
  const { maxEntry } = history;
  const sent = submissionEntry(change, now, schemaVersion, maxEntry);
  const keys = replacedKeys(change);
  return {
    name: 'history',
    bytes: sent.bytes,
    requires: [room],

    insert(record) {
      // The entry names the event of the submission.
      record.history = [{ id: record._id, ...sent.entry }];
      record.revision = 1;
      record.historyBytes = sent.bytes;
    },

    upsert(statement, replaced) {
      const { entry, bytes } = replaced?.entry ?? sent;
      addEntry(statement, { entry: { id: statement.newId, ...entry }, bytes });
      // The entry has the values that it removes or resets, so the filter requires them.
      if (keys) Object.assign(statement.filter, valuesAre(replaced?.values ?? change.reset ?? {}, keys));
      // The filter and the entry have these values.
      if (replaced) statement.bytes += 2 * bytes;
      return replaced !== undefined;
    },

    ...(keys && { facts: () => Object.fromEntries(keys.map((key) => [key, `$data.${key}`])) }),

    explain(values = {}) {
      const entry = withReplaced(sent, change, values, maxEntry);
      return entry && { values, entry };
    },

    stored() {
      history.noteUse();
      return undefined;
    },
  };
}

/** A line of an import has its entry when its record was read. A new record has none. */
const importWrite = (submission: Submission, room: Requirement): WritePart => ({
  name: 'history',
  bytes: 0,
  requires: [room],

  upsert(statement) {
    if (submission.facts.entry) addEntry(statement, submission.facts.entry);
    return false;
  },
});

const editEntries = (history: HistoryDeps, room: Requirement): EditPart<{ revision?: number }> => ({
  name: 'history',
  requires: [room],
  facts: { revision: '$revision' },

  add(statement, { at, by, schemaVersion: version, changes }, { revision }) {
    // Of the entries, those of submissions that change no value grow only this.
    statement.filter.revision = revision === undefined ? { $exists: false } : revision;
    if (changes.length === 0) return undefined;
    const sized = sizedEntry({ at, by, version, changes: [...changes] }, history.maxEntry);
    addEntry(statement, sized);
    statement.bytes += sized.bytes;
    return (record) => {
      history.noteUse();
      // A large entry slows the listings; otherwise the next change moves it.
      if (sized.bytes > MAX_INLINE_BYTES) void history.moveOut(record).catch(() => undefined);
    };
  },
});

function addEntry(statement: Statement, { entry, bytes }: SizedEntry): void {
  push(statement, 'history', entry);
  increment(statement, 'revision', 1);
  increment(statement, 'historyBytes', bytes);
}
