import type { UUID } from 'mongodb';
import type { ScopedApp } from '../../core/api/principal.ts';
import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import {
  AppNotFound,
  Conflict,
  Forbidden,
  Gone,
  InvalidInput,
  NotFound,
  PreconditionFailed,
  TooManyRequests,
  Unavailable,
} from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { CheckAdmission } from '../bots/admission.ts';
import { type ShownConsent, shownConsents } from '../consents/consents.ts';
import { changeableKeys, type Own } from '../form-settings/own.ts';
import type { HoldReason } from '../held/held.model.ts';
import type { AnswerTimes } from '../intake/answer-times.ts';
import type { IntakeOptions } from '../intake/intake-options.ts';
import { isSameChange } from '../notifications/confirmation.ts';
import type { EntryMails } from '../notifications/entry-mails.ts';
import type { LinkTokens } from '../notifications/link-tokens.ts';
import type { PeopleService } from '../people/people.service.ts';
import type { PersonFile } from '../people/person-data.ts';
import type { DetailedRecord } from '../record-reads/record-details.ts';
import { type EditedRecord, isNamed, recordEtag } from '../records/record-edit.ts';
import type { Records } from '../records/records.ts';
import type { EntryData } from './entry-data.ts';
import { changesOnly, checkedEdit, type EntryEdit, valuesOfEveryone } from './entry-edit.ts';
import { filesOfEdit } from './entry-files.ts';

/** The entry that a link opens, as its person may see it (spec 4.16). */
export interface OpenedEntry {
  /** The newest schema and the settings of the app under which the entry was read. */
  lease: Lease;
  own: Own;
  id: RecordId;
  email: string;
  /** The last change of the email: another one ends the link. */
  emailChange: UUID | undefined;
  /** The values of the fields of everyone, under the keys of the newest schema. No other value. */
  data: Readonly<Record<string, unknown>>;
  createdAt: Date;
  updatedAt: Date;
  confirmedAt: Date | undefined;
  /** The changes of consents, oldest first. Empty without any. */
  consents: readonly ShownConsent[];
  /** The keys of the fields that the person may change, in the order of the schema. */
  fields: readonly string[];
  /**
   * Identifies the state of the entry, for `tags` of a change. It tells nothing of other values.
   */
  etag: string;
  /** When the link expires. */
  expiresAt: Date;
  /** The address of the client, for the audit log. */
  address: string | undefined;
}

interface EntryEditOptions {
  /** The ETags of the only states that may be changed. Undefined: any. */
  tags?: readonly string[] | undefined;
  leftMs: () => number;
  /**
   * The save of a page, which shows all fields: each changeable field that it shows and that is
   * required must have a value afterwards, and the stored values of fields that it hides are
   * removed as a submission of a form does. What `set`, `unset` and `problems` say of fields that
   * it hides does not count.
   */
  isForm?: boolean | undefined;
  /** The tag of the language in which the person reads the labels, for consents. */
  lang?: string | undefined;
}

/** What asks for a link. The options are those of a submission, with `lang`. */
export interface LinkRequest {
  email: string;
  options: IntakeOptions;
}

/** The link is wrong, or its record is gone or has another email, or `own` is unset. */
export class InvalidEntryLink extends NotFound {
  constructor() {
    super('entryLinkInvalid');
  }
}

export type EntryService = ReturnType<typeof createEntryService>;

/** What people do with their own entry (spec 4.16). */
export function createEntryService(deps: {
  leases: Pick<SchemaLeases, 'hold'>;
  records: Pick<Records, 'reader' | 'details' | 'editor' | 'confirmations' | 'fileClaims'>;
  tokens: LinkTokens;
  mails: EntryMails;
  checkAdmission: CheckAdmission;
  answerTimes: AnswerTimes;
  people: Pick<PeopleService, 'erase'>;
  data: EntryData;
  audit: Pick<AuditLog, 'record'>;
  publicUrl: string | undefined;
}) {
  const { leases, records, tokens, mails, checkAdmission, answerTimes, people, data, audit, publicUrl } = deps;
  const { reader, details, editor, confirmations, fileClaims } = records;
  const projection = { ...details.projection, emailChange: 1 };

  /** @throws {AppNotFound} */
  async function leaseOn(sourceAppId: string): Promise<Lease> {
    const lease = await leases.hold(sourceAppId);
    if (!lease) throw new AppNotFound();
    return lease;
  }

  function noteAudit(
    action: 'entry.asked' | 'entry.changed' | 'entry.exported' | 'entry.erased',
    { app: { id, sourceAppId } }: Lease,
    target: RecordId,
    actor: { kind: 'anonymous' | 'person'; address: string | undefined },
  ): Promise<void> {
    return audit.record({ action, actor, app: { id, sourceAppId }, target: target.toString() });
  }

  const noteOfPerson = (action: 'entry.changed' | 'entry.exported' | 'entry.erased', entry: OpenedEntry) =>
    noteAudit(action, entry.lease, entry.id, { kind: 'person', address: entry.address });

  /** @throws {InvalidEntryLink} when the link of an entry ended */
  async function refuseEnded({ lease, id, email, emailChange }: OpenedEntry): Promise<void> {
    const record = await confirmations.find(lease.app.id, id);
    if (record?.email !== email || !isSameChange(record.emailChange, emailChange)) throw new InvalidEntryLink();
  }

  /** Plans the email to a known address, unless a limit is reached. */
  async function sendTo(lease: Lease, email: string, { lang, address }: IntakeOptions): Promise<void> {
    const record = await confirmations.ofEmail(lease.app.id, email);
    if (!record) return;
    const { id: recordId, emailChange } = record;
    if ((await mails.plan({ appId: lease.app.id, recordId, emailChange }, lang)) > 0) return;
    // A stranger adds as many events as emails are sent.
    await noteAudit('entry.asked', lease, recordId, { kind: 'anonymous', address });
  }

  return {
    /**
     * Plans an email with a link to the entry of this address, if it has one and no limit is
     * reached. Resolves alike for every address, after a multiple of the step of answers (4.5.5).
     * @throws {NotFound} while `own` is unset, and for an unknown app
     * @throws {Forbidden} without the proof or the token that a submission needs
     * @throws {InvalidInput} for an invalid email @throws {Unavailable}
     */
    async ask(sourceAppId: string, { email: sent, options }: LinkRequest): Promise<void> {
      const lease = await leaseOn(sourceAppId);
      const { app } = lease;
      const { form } = app;
      if (!form?.own) throw new NotFound('noOwnEntries');
      const time = answerTimes.begin();
      try {
        // A form that is closed still gives links.
        const { closesAt: _, ...rules } = form;
        const { hold, prove } = await time.outside(
          Promise.resolve(checkAdmission({ id: app.id, form: rules }, options)),
        );
        const email = normalizeEmail(sent);
        if (email === undefined) throw new InvalidInput('invalidBody', [{ path: 'email', ...say('notEmail') }]);
        const doubt = prove && (await time.outside(prove(email)));
        const reason = hold ?? doubt;
        if (reason !== undefined) refuseUnproved(reason);
        else await sendTo(lease, email, options);
      } finally {
        await time.end();
      }
    },

    /**
     * Plans an email with a link for an operator.
     * @throws {NotFound} when there is no such record @throws {Conflict} while `own` is unset
     * @throws {TooManyRequests} at the limits of the address or of the app
     */
    async send(app: ScopedApp, id: string): Promise<void> {
      const recordId = parseUuid(id);
      const record = recordId && (await confirmations.find(app.id, recordId));
      if (!recordId || !record) throw new NotFound('userNotFound');
      const { app: now } = await leaseOn(app.sourceAppId);
      if (!now.id.equals(app.id)) throw new AppNotFound();
      if (!now.form?.own) throw new Conflict('noOwnEntries');
      const waitMs = await mails.plan({ appId: app.id, recordId, emailChange: record.emailChange });
      if (waitMs > 0) throw new TooManyRequests('tooManyEntryLinks', Math.ceil(waitMs / 1_000));
    },

    /**
     * Opens the entry of a link. Changes nothing.
     * @param address of the client, for the audit log of what follows
     * @throws {InvalidEntryLink} when the token is wrong, the record is gone or has another email,
     *   or `own` is unset @throws {AppNotFound} @throws {Gone} when the link expired
     */
    async open(sourceAppId: string, token: string, address?: string): Promise<OpenedEntry> {
      const lease = await leaseOn(sourceAppId);
      const { app } = lease;
      const link = tokens.read(app.id, token);
      if (!app.form?.own || !link) throw new InvalidEntryLink();
      const { recordId, expiresAt, emailChange } = link;
      if (expiresAt.getTime() <= Date.now()) throw new Gone('entryLinkExpired');
      type Found = DetailedRecord & { emailChange?: UUID };
      const record = await reader.find<Found>(app.id, recordId, projection);
      if (!record || !isSameChange(record.emailChange, emailChange)) throw new InvalidEntryLink();
      return present(record, lease, app.form.own, { emailChange, expiresAt, address });
    },

    /**
     * Changes an entry by one atomic write, as its person (history: `by.kind` `person`). Resolves
     * with the entry afterwards. Values are checked by the newest schema as in a submission of
     * these fields; conditions are evaluated with the stored values of what the edit does not
     * change. An edit that changes no value is not stored.
     * @throws {Forbidden} `notOwn` when a key is not one of `fields`
     * @throws {InvalidInput} with the problems: `notShown`, `required` and those of values
     * @throws {PreconditionFailed} when the record is in another state than `tags` name
     * @throws {InvalidEntryLink} when the link ended meanwhile
     * @throws {AppError} as an edit of an operator
     */
    async change(entry: OpenedEntry, edit: EntryEdit, options: EntryEditOptions): Promise<OpenedEntry> {
      const { app } = entry.lease;
      const { tags, leftMs, isForm = false, lang } = options;
      const request = fileClaims.request(app.id, { usesAtOnce: false });
      let newest: { lease: Lease; own: Own } | undefined;
      let isChanged = false;

      /** Checks the edit of the record as it was read, and claims the files that it adds. */
      async function editOf(record: EditedRecord, lease: Lease) {
        const own = lease.app.form?.own;
        const isAddressed = record.email === entry.email && isSameChange(record.emailChange, entry.emailChange);
        if (!own || !isAddressed) throw new InvalidEntryLink();
        newest = { lease, own };
        const keys = new Set(changeableKeys(own, lease));
        if ([...Object.keys(edit.set), ...edit.unset].some((key) => !keys.has(key))) throw new Forbidden('notOwn');
        const stored = valuesOfEveryone(record.data, lease);
        if (tags && !isNamed(tags, { updatedAt: record.updatedAt, data: stored })) {
          throw new PreconditionFailed('recordChanged');
        }
        const files = await filesOfEdit(record.data, edit.set, { request, lease, claims: fileClaims });
        const sent = { ...edit, set: files.set, problems: [...(edit.problems ?? []), ...files.problems] };
        const checked = checkedEdit(stored, sent, { lease, keys, isForm });
        if (checked.issues.length > 0) throw new InvalidInput('invalidChange', checked.issues);
        const { set, unset } = changesOnly(record.data, checked, lease, entry.consents);
        isChanged = Object.keys(set).length > 0 || unset.length > 0;
        if (!isChanged) return undefined;
        await files.claimFor(record._id, set);
        const page = publicUrl && `${publicUrl}/f/${encodeURIComponent(app.sourceAppId)}/entry`;
        return { set, unset, removeItems: [], sent: { page, lang } };
      }

      const record = await editor.change(app, entry.id.toString(), editOf, { kind: 'person' }, leftMs);
      // The function was called before the record was returned.
      const { lease, own } = newest ?? entry;
      if (isChanged) await noteOfPerson('entry.changed', entry);
      return present(record, lease, own, entry);
    },

    /**
     * Erases the person of an entry in its app; final when it resolves.
     * @throws {Forbidden} `notOwn` when erasures are switched off
     * @throws {InvalidEntryLink} when the link ended meanwhile
     * @throws {Unavailable} a repeat goes on
     */
    async erase(entry: OpenedEntry): Promise<void> {
      if (!entry.own.erase) throw new Forbidden('notOwn');
      // The address of the link is erased, whichever record has it: its owner asks for it.
      await refuseEnded(entry);
      await people.erase(entry.email, entry.lease.app, { suppress: false });
      await noteOfPerson('entry.erased', entry);
    },

    /**
     * Resolves with what yields the record, with its consents, and its kept submissions, without
     * fields of the staff, and the files of the fields of everyone. It is noted in the audit log.
     * @throws {Forbidden} `notOwn` when exports are switched off
     */
    async export(
      entry: OpenedEntry,
      signal: AbortSignal,
    ): Promise<{ entries: AsyncIterable<Record<string, unknown>>; files: AsyncGenerator<PersonFile, void> }> {
      if (!entry.own.export) throw new Forbidden('notOwn');
      await noteOfPerson('entry.exported', entry);
      const { lease, id, email } = entry;
      const of = { app: lease.app, fields: lease.publicSchema.fields, id, email };
      return { entries: data.entries(of, signal), files: data.files(of, signal) };
    },
  };

  function present(
    record: DetailedRecord,
    lease: Lease,
    own: Own,
    { emailChange, expiresAt, address }: Pick<OpenedEntry, 'emailChange' | 'expiresAt' | 'address'>,
  ): OpenedEntry {
    const { _id: id, email, createdAt, updatedAt } = record;
    const { confirmedAt } = record as { confirmedAt?: Date };
    const shown = valuesOfEveryone(record.data, lease);
    return {
      lease,
      own,
      id,
      email,
      emailChange,
      data: shown,
      createdAt,
      updatedAt,
      confirmedAt,
      consents: shownConsents(record),
      fields: changeableKeys(own, lease),
      etag: recordEtag({ updatedAt, data: shown }),
      expiresAt,
      address,
    };
  }
}

/** @throws {Forbidden | Unavailable} unless it must look like an unknown address */
function refuseUnproved(reason: HoldReason): void {
  if (reason === 'honeypot') return;
  if (reason === 'captcha-away') throw new Unavailable('captchaAway');
  throw new Forbidden(reason === 'no-captcha' ? 'captchaRequired' : 'proofRequired');
}
