import type { RecordPart } from '../../core/users/record-part.ts';
import type { Submission } from '../../core/users/submission.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { increment, push, type Requirement, type Statement, type WritePart } from '../../core/users/write-part.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import { parsePageUrl } from '../../platform/core/web-origin.ts';
import type { Definition } from '../../platform/database/mongoose.ts';
import type { RecordFeature } from '../records/base.ts';
import type { EditPart } from '../records/edit-part.ts';
import {
  createOutboxSignal,
  eventSchema,
  HAS_ROOM_FOR_EVENT,
  MAX_OUTBOX,
  type OutboxEntry,
  outboxEntry,
  type WithOutbox,
} from './outbox.ts';

const OUTBOX_MEMBERS: Definition<WithOutbox> = { outbox: [eventSchema], eventCount: Number };

/** Creates the events of records, and the signal of new ones. */
export function createOutbox() {
  const signal = createOutboxSignal();
  return { signal, feature: { part: createOutboxPart(signal.notify) } satisfies RecordFeature };
}

/**
 * The events of a record, committed with the write of its change or not at all (decision 23).
 * @param notify tells the relay of this server of a stored event
 */
export function createOutboxPart(notify: () => void): RecordPart {
  return {
    name: 'outbox',
    members: OUTBOX_MEMBERS,

    under({ app }) {
      if (!app.hasConsumers) return undefined;
      const asksReply = app.form?.reply !== undefined;
      return {
        begin: (submission) => eventWrite(submission, asksReply && submission.by === 'person', notify),
        edits: editEvents(notify),
      };
    },
  };
}

function eventWrite(submission: Submission, asksReply: boolean, notify: () => void): WritePart<never> {
  return {
    name: 'outbox',
    bytes: 0,

    insert(record) {
      record.outbox = [eventOf(submission, asksReply, record._id)];
      record.eventCount = 1;
    },

    requires: [ROOM],

    upsert(statement) {
      addEvent(statement, eventOf(submission, asksReply, statement.newId));
      return false;
    },

    stored() {
      notify();
      return undefined;
    },
  };
}

const editEvents = (notify: () => void): EditPart => ({
  name: 'outbox',
  requires: [ROOM],

  add(statement, { at, keys, isReaddressed }) {
    const event = outboxEntry(statement.newId, at, keys);
    if (isReaddressed) event.changed.push('email');
    addEvent(statement, event);
    return notify;
  },
});

const ROOM: Requirement<number> = {
  name: 'room for an event',
  filter: HAS_ROOM_FOR_EVENT,
  facts: { $size: { $ifNull: ['$outbox', []] } },
  isMet: (waiting) => waiting < MAX_OUTBOX,

  /** The events of the record must be relayed first. */
  async restore() {
    throw new Unavailable('tooManyEvents', 1);
  },
};

function addEvent(statement: Statement, event: OutboxEntry): void {
  push(statement, 'outbox', event);
  increment(statement, 'eventCount', 1);
}

/** @param newId the event has the id of a new record, which is unique to the submission */
function eventOf({ now, change, facts }: Submission, asksReply: boolean, newId: RecordId): OutboxEntry {
  const { lang, page, isKept } = facts;
  const event = outboxEntry(newId, now, [
    ...Object.keys(change.set),
    ...Object.keys(change.append),
    ...(change.unset ?? []),
    ...Object.keys(change.reset ?? {}),
  ]);
  if (lang !== undefined) event.lang = lang;
  if (isKept) event.kept = true;
  const url = isKept && page !== undefined ? parsePageUrl(page) : undefined;
  if (url !== undefined) event.page = url;
  if (asksReply) event.reply = true;
  return event;
}
