import type { KindName } from '#src/core/fields/base/browser-kinds.ts';
import { plainLabel } from '#src/features/display/marks.ts';
import type { Field } from '../../api/endpoints.ts';
import { t } from '../../texts/first-texts.ts';

/** As `labelOf`, in a cell: files are counted. */
export function countOf(field: Field, value: unknown): unknown {
  if (field.kind !== 'file' || !Array.isArray(value)) return labelOf(field, value);
  return value.length === 0 ? undefined : t.components.files(value.length);
}

/** The text of a stored value: the labels of choices, the names of files, else the value. */
export function labelOf(field: Field, value: unknown): unknown {
  if (field.kind === 'file' && Array.isArray(value)) {
    return value.map((file: { name?: unknown } | null) => String(file?.name ?? '')).join(', ');
  }
  if (field.kind !== 'select' && field.kind !== 'multiselect') return value;
  if (field.kind === 'multiselect' && Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.map((choice) => labelOf(field, choice)).join(', ');
  }
  if (typeof value !== 'string') return value;
  const labels: Record<string, string> = field.enumLabels ?? {};
  return (Object.hasOwn(labels, value) ? labels[value] : '') || value;
}

export type Named = Pick<Field, 'key' | 'label'> & { kind?: KindName };

/** The name of a field in lists, tables and sentences. */
export function fieldName(field: Named): string {
  return plainLabel(field) || field.key;
}

/** The name of the field with a key; the key itself if no field has it. */
export function nameOfKey(key: string, fields: readonly Named[] = []): string {
  const field = fields.find((one) => one.key === key);
  return field ? fieldName(field) : key;
}

/** The name of a part of a submission or a record, such as `data.plan`: the label of its field. */
export function nameOfPath(path: string, fields: readonly Field[]): string {
  if (path === 'email') return t.common.email;
  const [key = '', ...rest] = path.replace(/^data\./, '').split('.');
  return [nameOfKey(key, fields), ...rest].join('.');
}
