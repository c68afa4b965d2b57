import type { FormEntries } from '../../api/body/form-entries.ts';
import { DEFAULT_FORM_SETTINGS } from '../../apps/form-settings/form-settings.ts';
import type { Issue } from '../../core/errors.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { valueFromForm } from '../../fields/form-values.ts';
import { type ConvertedText, printable, type TextContext } from '../../fields/kind.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import type { SubmissionInput } from '../submissions.service.ts';
import { type FormTexts, readForm } from './form-names.ts';
import { toInstantIn } from './local-time.ts';

/** Makes the submission of a form for the schema and the settings of a lease (spec 4.5). */
export function submissionOf(entries: FormEntries, { app, schema, validator }: Lease): SubmissionInput {
  const { email = '', data: texts, controls } = readForm(entries, new Set(validator.fieldKeys));
  const fields = new Map(schema.fields.map((field) => [field.key, field]));
  const { timeZone } = app.form ?? DEFAULT_FORM_SETTINGS;
  const toInstant = zoneOf(controls.timeZone ?? timeZone);
  const problems: Issue[] = [];
  if (controls.timeZone !== undefined && !toInstant) {
    problems.push({ path: '_tz', message: 'must be an IANA time zone like Europe/Berlin' });
  }
  const data: [string, unknown][] = [];
  for (const [key, sent] of texts) {
    const converted = convertedOf(fields.get(key), sent, { toInstant });
    if (converted === undefined) continue;
    if ('value' in converted) data.push([key, converted.value]);
    else problems.push({ path: `data.${printable(key)}`, message: converted.problem });
  }
  // `fromEntries` defines own properties, `__proto__` too; validation refuses that key.
  return { email, data: Object.fromEntries(data), problems, texts: textsOf(entries) };
}

function zoneOf(timeZone: string | undefined): TextContext['toInstant'] {
  return timeZone === undefined ? undefined : toInstantIn(timeZone);
}

/** Undefined when the key counts as absent. */
function convertedOf(
  field: FieldDefinition | undefined,
  { texts, isList }: FormTexts,
  context: TextContext,
): ConvertedText | undefined {
  if (field) return valueFromForm(field, texts, context);
  // A key that is not a field: the text, or a list of texts if its name says so.
  return valueFromForm({ kind: isList ? 'array' : 'text' }, texts, context);
}

/** The texts that identify a repeat: what may become data, whatever the schema is. */
function textsOf({ list }: FormEntries): string {
  return JSON.stringify(list.filter(([name]) => !name.startsWith('_') && name !== 'altcha'));
}
