import type { ObjectId, UUID } from 'mongodb';
import type { App } from '../../core/apps/app.ts';
import { NoRecord } from '../../core/users/submission-writes.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { AppNotFound, Gone, NotFound } from '../../platform/core/errors.ts';
import type { HeldStore } from '../held/held.model.ts';
import type { HeldRelease } from '../held/release.ts';
import type { PlannedChange } from '../intake/known-people.ts';
import type { RecordReader } from '../record-reads/record-reader.ts';
import type { ConfirmationMail, ConfirmationStore } from '../records/confirmations.ts';
import type { LinkTarget, LinkTokens } from './link-tokens.ts';
import type { MailDocument, NewMail } from './mail-queue.ts';
import type { MailRates } from './mail-rates.ts';

const DAY_MS = 86_400_000;
/** The changes that wait for their links (spec 4.5.5). */
export interface WaitingChanges extends Pick<HeldRelease, 'dataFor' | 'release'> {
  find: HeldStore['findChange'];
  isApplied: HeldStore['isApplied'];
}

/** What a link asks about. */
type Asked = 'address' | 'change';

/** What a link did. `change`: the values before, and those that it stored. */
interface Done {
  asked: Asked;
  change?: { stored: Record<string, unknown>; sent: Record<string, unknown> };
}

/** How long a link is valid (spec 4.12). */
export const LINK_VALID_MS = 7 * DAY_MS;
/** The most confirmation emails of one record, and the time between two of them. */
const MAX_CONFIRMATION_MAILS = 3;
const CONFIRMATION_PAUSE_MS = DAY_MS;

/** Each further attempt means that another server planned an email for the same record. */
const MAX_ATTEMPTS = 4;

/** The link names no record that can be confirmed. */
class InvalidLink extends NotFound {
  constructor() {
    super('confirmationInvalid');
  }
}

export type ConfirmationService = ReturnType<typeof createConfirmationService>;

/** The confirmation of email addresses (spec 4.12). */
export function createConfirmationService(deps: {
  store: ConfirmationStore;
  records: Pick<RecordReader, 'find'>;
  changes: WaitingChanges;
  rates: Pick<MailRates, 'confirmationTime'>;
  tokens: LinkTokens;
  /** Resolves with the incarnation of an app that is in force. */
  findApp(sourceAppId: string): Promise<Pick<App, 'id' | 'form'> | undefined>;
  /** The time of the queue. */
  now: () => number;
}) {
  const { store, records, changes, rates, tokens, findApp, now } = deps;

  /** @throws {AppNotFound} @throws {InvalidLink} @throws {Gone} */
  async function findRecord(sourceAppId: string, token: string) {
    const app = await findApp(sourceAppId);
    if (!app) throw new AppNotFound();
    const link = tokens.read(app.id, token);
    if (!link) throw new InvalidLink();
    if (link.expiresAt.getTime() <= Date.now()) throw new Gone('confirmationExpired');
    const { recordId: id, emailChange } = link;
    const record = await store.find(app.id, id);
    if (record && !isSameChange(record.emailChange, emailChange)) throw new InvalidLink();
    return { appId: app.id, asksAddresses: app.form?.doubleOptIn === true, id, record };
  }

  /** A change, with its record, which has the address to which the link was sent. */
  async function findChange(appId: ObjectId, id: RecordId) {
    const change = await changes.find(appId, id);
    const record = change && (await store.find(appId, change.recordId));
    return record?.email === change?.email && change && record && { change, record };
  }

  return {
    /** @param lang the language of the pages, if the app has several */
    linkPath(sourceAppId: string, appId: ObjectId, link: LinkTarget, lang?: string): string {
      const path = `/f/${encodeURIComponent(sourceAppId)}/confirm/${tokens.issue(appId, link)}`;
      return lang === undefined ? path : `${path}?lang=${lang}`;
    },

    /**
     * Resolves with what a link asks about, and whether that is done.
     * @throws {NotFound} when it is wrong, or the record was erased @throws {Gone}
     */
    async stateOf(sourceAppId: string, token: string): Promise<{ asked: Asked; isDone: boolean }> {
      const { appId, id, record } = await findRecord(sourceAppId, token);
      if (record) return { asked: 'address', isDone: record.isConfirmed };
      if (await findChange(appId, id)) return { asked: 'change', isDone: false };
      if (await changes.isApplied(appId, id)) return { asked: 'change', isDone: true };
      throw new InvalidLink();
    },

    /**
     * Confirms the address of a link, where the first time stays, or stores its change once. A
     * repeat changes nothing. Throws as above, and as `release`.
     */
    async confirm(sourceAppId: string, token: string): Promise<Done> {
      const { appId, asksAddresses, id, record } = await findRecord(sourceAppId, token);
      if (record && (await store.confirm(appId, id, record, new Date()))) return { asked: 'address' };
      const found = record ? undefined : await findChange(appId, id);
      if (!found) {
        if (await changes.isApplied(appId, id)) return { asked: 'change' };
        throw new InvalidLink();
      }
      const { change } = found;
      const before = await records.find(appId, change.recordId);
      // The link came by an email to the address.
      if (asksAddresses) await store.confirm(appId, change.recordId, found.record, new Date());
      await changes.release(sourceAppId, change).catch((error) => {
        throw error instanceof NoRecord ? new InvalidLink() : error;
      });
      const after = await records.find(appId, change.recordId);
      if (!before || !after) return { asked: 'change' };
      // The newest schema may not show all that was sent.
      const data = Object.entries(await changes.dataFor(change));
      const sent = Object.fromEntries(data.filter(([key]) => Object.hasOwn(after.data, key)));
      return { asked: 'change', change: { stored: before.data, sent } };
    },

    /** Plans the email of a change; undefined when the app has used its emails of a day. */
    async planChange({ appId, id, recordId, lang }: PlannedChange): Promise<NewMail | undefined> {
      const at = await rates.confirmationTime(appId);
      if (!at) return undefined;
      const nextAt = new Date(Math.max(at.getTime(), now()));
      const of = { appId, purpose: 'change', recordId, changeId: id, nextAt } as const;
      return { _id: `change:${id.toString()}`, ...of, ...(lang !== undefined && { lang }) };
    },

    /**
     * Plans the confirmation email of an event; undefined when the address is confirmed or a limit
     * is reached. The record keeps the plan, so the same event yields the same email.
     */
    async plan(appId: ObjectId, recordId: RecordId, event: string, lang?: string): Promise<NewMail | undefined> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const record = await store.find(appId, recordId);
        if (!record || record.isConfirmed) return undefined;
        const { mails: planned } = record;
        const earlier = planned.findIndex((mail) => mail.event === event);
        const earlierMail = planned[earlier];
        const target = { appId, recordId, emailChange: record.emailChange };
        if (earlierMail) return buildMail(target, earlier, earlierMail);
        if (!allowsAnother(planned)) return undefined;
        const at = await rates.confirmationTime(appId);
        if (!at) return undefined;
        const mail = { event, at: new Date(Math.max(at.getTime(), now())), ...(lang !== undefined && { lang }) };
        if (await store.addMail(appId, recordId, record, mail)) return buildMail(target, planned.length, mail);
      }
      return undefined;
    },
  };

  function allowsAnother(planned: readonly ConfirmationMail[]): boolean {
    const last = planned.at(-1);
    if (planned.length >= MAX_CONFIRMATION_MAILS) return false;
    return last === undefined || last.at.getTime() + CONFIRMATION_PAUSE_MS <= now();
  }
}

export const isSameChange = (one: UUID | undefined, other: UUID | undefined): boolean =>
  one?.toString() === other?.toString();

/** What the ids of the emails with links to the present address of a record begin with. */
export const idsOf = (purpose: 'confirmation' | 'entry', recordId: RecordId, emailChange: UUID | undefined): string =>
  `${purpose}:${recordId.toString()}:${emailChange ? `${emailChange.toString()}:` : ''}`;

/** Whether an email was planned for the address that a record has now. */
export function isForAddress(
  { _id, event, purpose }: Pick<MailDocument, '_id' | 'event' | 'purpose'>,
  recordId: RecordId,
  emailChange: UUID | undefined,
): boolean {
  if (!emailChange) return true;
  if (purpose === 'confirmation' || purpose === 'entry') return _id.startsWith(idsOf(purpose, recordId, emailChange));
  // Ids of events and of changes are in the order of time.
  return event !== undefined && event > emailChange.toString();
}

function buildMail(
  { appId, recordId, emailChange }: { appId: ObjectId; recordId: RecordId; emailChange: UUID | undefined },
  index: number,
  { at, lang }: ConfirmationMail,
): NewMail {
  const _id = `${idsOf('confirmation', recordId, emailChange)}${index + 1}`;
  return { _id, appId, purpose: 'confirmation', recordId, nextAt: at, ...(lang !== undefined && { lang }) };
}
