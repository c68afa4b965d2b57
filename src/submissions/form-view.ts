import type { FormEntry } from '../api/body/form-body.ts';
import type { Html } from '../api/reply.ts';
import { DEFAULT_FORM_SETTINGS, type FormSettings } from '../apps/form-settings.ts';
import type { Issue, Reason } from '../core/errors.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { Language } from '../languages/languages.ts';
import type { SchemaLeases } from '../schemas/schema-leases.ts';

/** The entries of a form that was refused. */
export interface SentForm {
  email: string | undefined;
  /** The entries for `data` by key, under their names, in their order. */
  data: ReadonlyMap<string, readonly FormEntry[]>;
  /** Entries that are sent again without being shown: controls, and names without a meaning. */
  others: readonly FormEntry[];
  /** The names of the controls that sent a file. */
  files: readonly string[];
}

/** A refusal as a page shows it: its English reason, with the code of that text if it has one. */
export interface ShownRefusal extends Reason {
  status: number;
}

/** The content of a page of a public form (spec 4.5). */
export interface FormView extends PublicForm {
  language: Language;
  /** Initial texts, by control name. */
  prefilled?: ReadonlyMap<string, readonly string[]>;
  /** The entries to show again. */
  sent?: SentForm;
  /** The problems of the entries, with paths such as `email` and `data.age`. */
  issues?: readonly Issue[];
  /** The reason of a refusal. */
  refusal?: ShownRefusal;
  /** The idempotency key of the next submission from this page. */
  key: string;
}

/** The pages of public forms (spec 4.5). */
export interface FormPages {
  /** The form; after a refusal with the entries, their problems, and its status. */
  form(view: FormView): Html;
  /** The page after a submission. `isHeld`: it is not stored until an operator releases it. */
  thanks(view: Pick<FormView, 'sourceAppId' | 'settings' | 'language'> & { isHeld?: boolean }): Html;
  /** A refusal without a form. */
  refusal(refusal: ShownRefusal, language: Language): Html;
}

/** The public form of an app: its settings in force and the fields of its newest schema. */
export interface PublicForm {
  sourceAppId: string;
  settings: FormSettings;
  fields: readonly FieldDefinition[];
}

/** Resolves with the form of an app; undefined when no app has this id. @throws {Unavailable} */
export type FindForm = (sourceAppId: string) => Promise<PublicForm | undefined>;

/** Reads forms through leases, so that a change is in force when its PUT has answered. */
export function createFormLookup(leases: Pick<SchemaLeases, 'hold'>): FindForm {
  return async (sourceAppId) => {
    const lease = await leases.hold(sourceAppId);
    if (!lease) return undefined;
    return { sourceAppId, settings: lease.app.form ?? DEFAULT_FORM_SETTINGS, fields: lease.schema.fields };
  };
}
