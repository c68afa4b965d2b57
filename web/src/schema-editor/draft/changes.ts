import type { Field } from '../../api/endpoints.ts';
import { t } from '../../texts/texts.ts';
import { conditionTexts } from './condition-texts.ts';
import type { WHEN } from './conditions.ts';
import { KIND_NAMES, optionName } from './field-texts.ts';
import { isSameOption, shortValue } from './form-options.ts';
import { type FieldOption, getKind, isOfStaff, pagesOf } from './rules.ts';

interface Version {
  rejectUnknown: boolean;
  fields: readonly Field[];
}

/** `breaking`: the service may refuse earlier valid submissions, or values lose their field. */
export interface Change {
  impact: 'breaking' | 'compatible';
  text: string;
}

/**
 * Describes the differences between two versions of a schema.
 *
 * @param originalKeys the old keys of renamed fields, by new key
 * @param moved the new keys of renamed fields whose stored values move
 */
export function schemaChanges(
  before: Version,
  after: Version,
  originalKeys: ReadonlyMap<string, string> = new Map(),
  moved: ReadonlySet<string> = new Set(),
): Change[] {
  const old = new Map(before.fields.map((field) => [field.key, field]));
  const renamed = new Set(originalKeys.values());
  // A field that reuses the old key of a renamed field is new.
  const oldKey = ({ key }: Field): string => originalKeys.get(key) ?? (renamed.has(key) ? '' : key);
  const kept = new Set(after.fields.map(oldKey));
  const pairs = after.fields.map((field) => ({ field, former: old.get(oldKey(field)) }));
  const [pageBefore, pageAfter] = [pagesByKey(before), pagesByKey(after)];
  return [
    ...before.fields.filter(({ key }) => !kept.has(key)).map((field) => removal(field, after.rejectUnknown)),
    ...pairs.flatMap(({ field, former }) =>
      former
        ? fieldChanges(former, field, moved, isMoved(pageBefore.get(former.key), pageAfter.get(field.key)))
        : [addition(field)],
    ),
    ...orderChange(pairs, before),
    ...unknownFieldsChange(before, after),
  ];
}

/** The page of each field: its own, or that of the field before it. */
function pagesByKey({ fields }: Version): ReadonlyMap<string, number> {
  const shown = fields.filter((field) => !isOfStaff(field));
  const pages = pagesOf(shown);
  return new Map(shown.map(({ key }, index) => [key, pages[index] ?? 1]));
}

/** Whether a field that stays in the form has another page. */
const isMoved = (from: number | undefined, to: number | undefined): boolean =>
  from !== undefined && to !== undefined && from !== to;

function removal(field: Field, rejectUnknown: boolean): Change {
  const { removedRejected, removedAccepted } = t.schemaEditor.changes;
  return { impact: 'breaking', text: (rejectUnknown ? removedRejected : removedAccepted)(nameOf(field)) };
}

function addition(field: Field): Change {
  const { added, addedRequired } = t.schemaEditor.changes;
  return field.required
    ? { impact: 'breaking', text: addedRequired(nameOf(field), KIND_NAMES[field.kind]) }
    : { impact: 'compatible', text: added(nameOf(field), KIND_NAMES[field.kind]) };
}

function fieldChanges(before: Field, after: Field, moved: ReadonlySet<string>, isOnOtherPage: boolean): Change[] {
  const changes: Change[] = [];
  const breaking = (text: string): void => void changes.push({ impact: 'breaking', text });
  const compatible = (text: string): void => void changes.push({ impact: 'compatible', text });
  const texts = t.schemaEditor.changes;
  const name = nameOf(after);

  if (before.key !== after.key) {
    breaking((moved.has(after.key) ? texts.keyMoved : texts.keyChanged)(name, before.key, after.key));
  }
  if (before.label !== after.label && before.key === after.key)
    compatible(texts.label(name, before.label, after.label));
  if (before.kind !== after.kind) breaking(texts.type(name, KIND_NAMES[before.kind], KIND_NAMES[after.kind]));
  if (!before.required && after.required) breaking(texts.required(name));
  if (before.required && !after.required) compatible(texts.notRequired(name));
  if (!isOfStaff(before) && isOfStaff(after)) breaking(texts.staffOnly(name));
  if (isOfStaff(before) && !isOfStaff(after)) compatible(texts.everyone(name));
  if (before.kind === after.kind) optionChanges(before, after, breaking, compatible);
  whenChanges(before, after, breaking, compatible);
  if (isOnOtherPage) compatible(conditionTexts.changes.page(name));
  return changes;
}

type Add = (text: string) => void;

/** A condition refuses JSON submissions that have a field which it does not show. */
function whenChanges(before: Field, after: Field, breaking: Add, compatible: Add): void {
  const texts = conditionTexts.changes;
  const name = nameOf(after);
  const differ = (one: (typeof WHEN)[number]): boolean => JSON.stringify(before[one]) !== JSON.stringify(after[one]);
  if (differ('showIf')) {
    if (after.showIf) breaking(texts.showIf(name));
    else (after.required ? breaking : compatible)(texts.showIfRemoved(name));
  }
  if (differ('requiredIf')) {
    if (after.requiredIf) breaking(texts.requiredIf(name));
    else compatible(texts.requiredIfRemoved(name));
  }
  if (differ('keepHidden')) compatible(texts.keepHidden(name));
}

function optionChanges(before: Field, after: Field, breaking: Add, compatible: Add): void {
  const old: Record<string, unknown> = { ...before };
  const now: Record<string, unknown> = { ...after };
  const texts = t.schemaEditor.changes;
  const name = nameOf(after);
  for (const [option, { stricter }] of Object.entries<FieldOption>(getKind(after.kind).options)) {
    if (!stricter) continue;
    const [from, to] = [old[option], now[option]] as [Limit | undefined, Limit | undefined];
    if (from === to) continue;
    const isStricter =
      to !== undefined && (from === undefined || isMoving(from, to) || (stricter === 'higher' ? to > from : to < from));
    const limit = texts.limits[option as keyof typeof texts.limits];
    (isStricter ? breaking : compatible)(texts.limit(name, limit, limitText(from), limitText(to)));
  }
  if (old.regex !== now.regex)
    (now.regex === undefined ? compatible : breaking)(
      texts.pattern(name, String(old.regex ?? texts.none), String(now.regex ?? texts.none)),
    );
  if ((old.indexed === true) !== (now.indexed === true))
    compatible((now.indexed === true ? texts.indexed : texts.notIndexed)(name));
  if ('enum' in before && 'enum' in after) {
    const removed = before.enum.filter((value) => !after.enum.includes(value));
    const added = after.enum.filter((value) => !before.enum.includes(value));
    if (removed.length > 0) breaking(texts.choicesRemoved(name, listed(removed)));
    if (added.length > 0) compatible(texts.choicesAdded(name, listed(added)));
  }
  for (const [one, option] of Object.entries<FieldOption>(getKind(after.kind).formOptions)) {
    if (isSameOption(old[one], now[one], option)) continue;
    const [from, to] = [shortValue(old[one], option), shortValue(now[one], option)];
    const isShort = from !== undefined && to !== undefined;
    const label = optionName(one);
    compatible(isShort ? texts.optionValue(name, label, from, to) : texts.option(name, label));
  }
}

/** A bound of numbers, or of days: a date, or `today`. */
type Limit = number | string;

/** Whether one of two bounds moves, so that it depends on the day which of them is stricter. */
const isMoving = (...limits: Limit[]): boolean => limits.includes('today');

function limitText(limit: Limit | undefined): string {
  return String(limit ?? t.schemaEditor.changes.noLimit);
}

function orderChange(pairs: { field: Field; former: Field | undefined }[], before: Version): Change[] {
  const newOrder = pairs.flatMap(({ former }) => former?.key ?? []);
  const oldOrder = before.fields.map(({ key }) => key).filter((key) => newOrder.includes(key));
  return newOrder.join() === oldOrder.join() ? [] : [{ impact: 'compatible', text: t.schemaEditor.changes.order }];
}

function unknownFieldsChange(before: Version, after: Version): Change[] {
  if (before.rejectUnknown === after.rejectUnknown) return [];
  return after.rejectUnknown
    ? [{ impact: 'breaking', text: t.schemaEditor.changes.unknownRejected }]
    : [{ impact: 'compatible', text: t.schemaEditor.changes.unknownAccepted }];
}

function nameOf({ key, label }: Field): string {
  return label === '' || label === key ? key : t.schemaEditor.labelAndKey(label, key);
}

function listed(values: readonly string[]): string {
  return values.map(t.schemaEditor.quoted).join(', ');
}
