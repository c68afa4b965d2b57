import type { Html } from '../../api/reply.ts';
import type { FormSettings } from '../../apps/form-settings/form-settings.ts';
import type { Issue } from '../../core/errors.ts';
import type { FieldDefinition } from '../../fields/definition.ts';

/** What a page of an app's public form shows (spec 4.5). */
export interface FormView {
  sourceAppId: string;
  settings: FormSettings;
  fields: readonly FieldDefinition[];
  /** The texts that a person entered, by control name, to show them again. */
  entries?: ReadonlyMap<string, readonly string[]>;
  /** The problems of the entries, with paths such as `email` and `data.age`. */
  issues?: readonly Issue[];
  /** Why the submission was refused, in words for the person. */
  refusal?: { status: number; message: string };
  /** The idempotency key of the next submission from this page. */
  key: string;
}

/** The pages of public forms (spec 4.5). */
export interface FormPages {
  /** The form; after a refusal with the entries, the problems at their fields, and its status. */
  form(view: FormView): Html;
  /** The page after a submission. */
  thanks(view: Pick<FormView, 'sourceAppId' | 'settings'>): Html;
  /** A refusal without a form, for a request that was refused before its entries were read. */
  refusal(refusal: { status: number; message: string }): Html;
}
