import { type FieldDefinition, holdsFiles } from '../../core/fields/definition.ts';
import { getKind } from '../../core/fields/kinds/registry.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import { dayIn } from '../../platform/text/iso-date.ts';

type Fields = readonly FieldDefinition[];

/** The fields of a schema with the limit of the service, by the fields without it. */
const limited = new WeakMap<Fields, Fields>();

/** The fields with the day of `today`, of which each list has one at a time. */
const dated = new WeakMap<Fields, { day: string; fields: Fields }>();

/**
 * Returns the fields that a form shows now: with the most bytes of each file, and with the day that
 * `today` is in the form's time zone. While both stay, a schema has one list.
 *
 * @param perFile FILE_LIMIT
 */
export function shownFields({ app, publicSchema }: Pick<Lease, 'app' | 'publicSchema'>, perFile: number): Fields {
  const fields = withFileLimit(publicSchema.fields, perFile);
  if (!fields.some((field) => onDay('', field) !== field)) return fields;
  const day = dayIn({ timeZone: app.form?.timeZone });
  let known = dated.get(fields);
  if (known?.day !== day) {
    known = { day, fields: fields.map((field) => onDay(day, field)) };
    dated.set(fields, known);
  }
  return known.fields;
}

const onDay = (day: string, field: FieldDefinition): FieldDefinition =>
  getKind(field.kind).onDay?.(day, field) ?? field;

function withFileLimit(fields: Fields, perFile: number): Fields {
  let known = limited.get(fields);
  if (!known) {
    const hasFiles = fields.some(holdsFiles);
    const limit = (field: FieldDefinition): FieldDefinition =>
      holdsFiles(field) ? { ...field, maxBytes: Math.min(field.maxBytes ?? perFile, perFile) } : field;
    known = hasFiles ? fields.map(limit) : fields;
    limited.set(fields, known);
  }
  return known;
}
