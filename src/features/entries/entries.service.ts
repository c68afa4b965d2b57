import type { UUID } from 'mongodb';
import type { ScopedApp } from '../../core/api/principal.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import type { Issue } from '../../platform/languages/reasons.ts';
import type { ShownConsent } from '../consents/consents.ts';
import type { Own } from '../form-settings/own.ts';
import type { IntakeOptions } from '../intake/intake-options.ts';
import type { PersonFile } from '../people/person-data.ts';

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
  /** The changes of consents, oldest first. */
  consents: readonly ShownConsent[];
  /** The keys of the fields that the person may change, in the order of the schema. */
  fields: readonly string[];
  /** Identifies the state of the record, for `tags` of a change. It tells nothing of other values. */
  etag: string;
  /** When the link expires. */
  expiresAt: Date;
}

/** A change by the person. No key is in both. */
export interface EntryEdit {
  /**
   * Values that replace the stored ones, as JSON. Of a field of files: a list of ids of files of
   * the record, which stay, and of tokens of uploads, which are added.
   */
  set: Record<string, unknown>;
  unset: readonly string[];
  /** Problems that are known before the validation, such as texts of a form without a value. */
  problems?: readonly Issue[] | undefined;
}

export interface EntryEditOptions {
  /** The ETags of the only states that may be changed. Undefined: any. */
  tags?: readonly string[] | undefined;
  leftMs: () => number;
  /**
   * The save of a page, which shows all fields: each changeable field that it shows and that is
   * required must have a value afterwards, and the stored values of fields that it hides are
   * removed as a submission of a form does. Values of fields that it hides are left out of `set`
   * and of `problems`.
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

export interface EntryService {
  /**
   * Plans an email with a link to the entry of this address, if it has one and no limit is reached.
   * Resolves alike for every address, after a multiple of the step of answers (spec 4.5.5).
   * @throws {NotFound} while `own` is unset, and for an unknown app
   * @throws {Forbidden} without the proof or the token that a submission needs
   * @throws {InvalidInput} for an invalid email @throws {Unavailable}
   */
  ask(sourceAppId: string, request: LinkRequest): Promise<{ asked: RecordId | undefined }>;

  /**
   * Plans an email with a link for an operator.
   * @throws {NotFound} when there is no such record @throws {Conflict} while `own` is unset
   * @throws {TooManyRequests} at the limits of the address or of the app
   */
  send(app: ScopedApp, id: string): Promise<void>;

  /**
   * Opens the entry of a link. Changes nothing.
   * @throws {NotFound} when the token is wrong, the record is gone or has another email, or `own`
   *   is unset @throws {Gone} when the link expired, also of a record that is gone
   */
  open(sourceAppId: string, token: string): Promise<OpenedEntry>;

  /** Whether a token of this app expired or is valid, and `own` is set: without a read of records. */
  check(sourceAppId: string, token: string): Promise<{ lease: Lease; own: Own }>;

  /**
   * Changes an entry by one atomic write, as its person (history: `by.kind` `person`). Resolves
   * with the entry afterwards. Values are checked by the newest schema as in a submission of these
   * fields; conditions are evaluated with the stored values of what the edit does not change.
   * @throws {Forbidden} `notOwn` when a key is not one of `fields`
   * @throws {InvalidInput} with the problems: `notShown`, `required` and those of values
   * @throws {PreconditionFailed} when the record is in another state than `tags` name
   * @throws {NotFound} when the link ended meanwhile @throws {AppError} as an edit of an operator
   */
  change(entry: OpenedEntry, edit: EntryEdit, options: EntryEditOptions): Promise<OpenedEntry>;

  /**
   * Erases the person of an entry in its app; final when it resolves.
   * @throws {Forbidden} `notOwn` when erasures are switched off
   * @throws {NotFound} when the link ended meanwhile @throws {Unavailable} a repeat goes on
   */
  erase(entry: OpenedEntry): Promise<void>;

  /**
   * Yields the record, with its consents, and its kept submissions, without fields of the staff.
   * @throws {Forbidden} `notOwn` when exports are switched off, at once
   */
  export(entry: OpenedEntry, signal: AbortSignal): AsyncIterable<Record<string, unknown>>;

  /** Yields the files of the fields of everyone. Throws as `export`. */
  files(entry: OpenedEntry, signal: AbortSignal): AsyncGenerator<PersonFile, void>;
}

