import type { UserDocument } from '../../../src/core/users/users.model.ts';
import { valuesInList } from '../../../src/features/search/value-list.ts';

/** The kinds of the fields of the model's app; other keys are compared as texts. */
export const FIELDS = [
  { key: 'name', kind: 'text' },
  { key: 'plan', kind: 'select', enum: ['pro', 'free'] },
  { key: 'age', kind: 'number' },
  { key: 'born', kind: 'date' },
  { key: 'agreed', kind: 'checkbox' },
  { key: 'visits', kind: 'array' },
  { key: 'topics', kind: 'multiselect', enum: ['a', 'b', '36'] },
] as const;

type StoredRecord = Pick<UserDocument, '_id' | 'email' | 'data' | 'createdAt' | 'updatedAt' | 'schemaVersion'>;

const DAY_MS = 86_400_000;

/** The instant of a valid date, by the JavaScript Date and the calendar; else undefined. */
export function instant(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const shape = /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d))?$/.exec(value);
  if (!shape) return undefined;
  const [, day = '', time = '00:00:00', fraction = '', zone = 'Z'] = shape;
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const parsed = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${zone.toUpperCase()}`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function valueAt(record: StoredRecord, path: string): unknown {
  if (!path.startsWith('data.')) return record[path as keyof StoredRecord];
  const key = path.slice(5);
  return Object.hasOwn(record.data, key) ? record.data[key] : undefined;
}

function kindOf(path: string): string {
  if (path === 'email') return 'text';
  if (path === 'createdAt' || path === 'updatedAt') return 'time';
  if (path === 'schemaVersion') return 'number';
  const kind = FIELDS.find(({ key }) => `data.${key}` === path)?.kind ?? 'text';
  return kind === 'select' ? 'text' : kind;
}

/** The value as a number that has the order of its kind; undefined for a value of another kind. */
function ordered(kind: string, value: unknown): number | undefined {
  if (kind === 'number') return typeof value === 'number' ? value : undefined;
  if (kind === 'checkbox') return typeof value === 'boolean' ? Number(value) : undefined;
  if (kind === 'time') return (value as Date).getTime();
  return instant(value);
}

/** Texts sort by their folded beginning; those that agree in it, by their own beginning. */
function slotText(text: string): string {
  const folded = [...text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').replaceAll('\0', '\x01')];
  const beginning = folded.slice(0, 64).join('');
  const own = [...text];
  return beginning === text
    ? text
    : [beginning, own.slice(0, 64).join(''), ...(own.length > 64 ? [''] : [])].join('\0');
}

/** Equal for texts that differ in the case of their letters only. */
const folded = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** Whether one condition holds for a record (spec 4.3). */
export function holds(record: StoredRecord, where: string): boolean {
  const [path = '', operator = ''] = where.split(':', 2);
  const operand = where.slice(path.length + operator.length + 2);
  const value = valueAt(record, path);
  const kind = kindOf(path);
  const isAbsent = value === undefined || value === null;
  if (operator === 'exists') return isAbsent !== (operand === 'true');
  if (operator === 'empty') {
    const isEmpty = isAbsent || value === '' || (Array.isArray(value) && value.length === 0);
    return isEmpty === (operand === 'true');
  }
  if (operator === 'ne') return !holds(record, `${path}:eq:${operand}`);
  if (kind === 'multiselect') {
    const chosen = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
    return (operator === 'in' ? valuesInList(operand) : [operand]).some((one) => chosen.includes(one));
  }
  if (operator === 'in') return valuesInList(operand).some((one) => holds(record, `${path}:eq:${one}`));
  if (kind === 'array') {
    if (!Array.isArray(value)) return false;
    return value.some((item) => {
      const own = (item as { value?: unknown } | null)?.value;
      return own === operand || (typeof own !== 'string' && typeof own !== 'object' && String(own) === operand);
    });
  }
  if (kind === 'text') {
    if (typeof value !== 'string') return false;
    const text = path === 'email' ? operand.toLowerCase() : operand;
    if (operator === 'eq') return value === text;
    if (operator === 'prefix') return folded(value).startsWith(folded(text));
    return folded(value).includes(folded(text));
  }
  const stored = ordered(kind, value);
  if (stored === undefined) return false;
  const low = kind === 'number' ? Number(operand) : kind === 'checkbox' ? Number(operand === 'true') : instant(operand);
  const isDay = (kind === 'date' || kind === 'time') && operand.length === 10;
  return compared(operator, stored, low as number, (low as number) + (isDay ? DAY_MS : 0), isDay);
}

function compared(operator: string, stored: number, low: number, high: number, isDay: boolean): boolean {
  if (operator === 'gt') return isDay ? stored >= high : stored > low;
  if (operator === 'gte') return stored >= low;
  if (operator === 'lt') return stored < low;
  if (operator === 'lte') return isDay ? stored < high : stored <= low;
  return isDay ? stored >= low && stored < high : stored === low;
}

/** The records in an order, those without the value last, ties by id in the same direction. */
export function inOrder<Stored extends StoredRecord>(
  records: readonly Stored[],
  path: string,
  direction: 1 | -1,
): Stored[] {
  const kind = kindOf(path);
  const keyed = records.map((record) => {
    const value = valueAt(record, path);
    if (!isField(path)) return { record, key: mixedKey(value), id: Buffer.from(record._id.buffer) };
    const own = typeof value === 'string' ? value : '';
    const text = path === 'email' ? own : slotText(own);
    const key = kind === 'text' ? (typeof value === 'string' ? Buffer.from(text) : undefined) : keyOf(kind, value);
    return { record, key, id: Buffer.from(record._id.buffer) };
  });
  keyed.sort((one, other) => {
    if ((one.key === undefined) !== (other.key === undefined)) return one.key === undefined ? 1 : -1;
    const byKey =
      one.key instanceof Buffer && other.key instanceof Buffer
        ? Buffer.compare(one.key, other.key)
        : Number(one.key ?? 0) - Number(other.key ?? 0);
    return direction * (byKey || Buffer.compare(one.id, other.id));
  });
  return keyed.map(({ record }) => record);
}

const isField = (path: string): boolean =>
  !path.startsWith('data.') || FIELDS.some(({ key }) => `data.${key}` === path);

/** The values of a key that is no field: numbers, then texts, then booleans. */
function mixedKey(value: unknown): Buffer | undefined {
  if (typeof value === 'string') return Buffer.from(`1${slotText(value)}`);
  if (typeof value === 'boolean') return Buffer.from(`2${Number(value)}`);
  if (typeof value !== 'number') return undefined;
  if (value < 0 || !Number.isInteger(value) || value > 999) throw new Error('the model orders small numbers only');
  return Buffer.from(`0${String(value).padStart(3, '0')}`);
}

const keyOf = (kind: string, value: unknown): number | undefined =>
  kind === 'array' || kind === 'multiselect' ? undefined : ordered(kind, value);

/** What the slots of a record hold: one for each field but lists, in the order of `FIELDS`. */
export function slotsOf(data: Record<string, unknown>): Record<string, unknown> {
  const fields = FIELDS.filter(({ kind }) => kind !== 'array' && kind !== 'multiselect');
  return Object.fromEntries(
    fields.map(({ key, kind }, at) => {
      const value = Object.hasOwn(data, key) ? data[key] : undefined;
      if (kind === 'text' || kind === 'select') return [`s${at}`, typeof value === 'string' ? slotText(value) : null];
      if (kind === 'number') return [`s${at}`, typeof value === 'number' ? value : null];
      if (kind === 'checkbox') return [`s${at}`, typeof value === 'boolean' ? value : null];
      const time = instant(value);
      return [`s${at}`, time === undefined ? null : new Date(time)];
    }),
  );
}
