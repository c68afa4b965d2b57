/** What a change shows of a value. */
type Scalar = string | number | boolean;

/** The change of one value. A side without a value is absent. */
export interface ValueChange {
  /** Such as `theme.accent`, `fields.email.required` or `pages.0.title`. */
  path: string;
  before?: Scalar;
  after?: Scalar;
}

/** A value that is compared, and of which only a text is shown. */
export class Masked {
  readonly value: string;
  readonly shown: string;

  constructor(value: string, shown: string = MASK) {
    this.value = value;
    this.shown = shown;
  }
}

const MASK = '…';
const MAX_LENGTH = 200;
const MAX_PATH = 120;
const MAX_CHANGES = 50;
/** Of all paths and values together. */
const MAX_CHARACTERS = 4_000;

/** The members that name the elements of a list, the first that each element has. */
const NAMES = ['key', 'name', 'id', 'value', 'url'] as const;

const SECRET = /secret|password|token/i;
const DATA_URL = /^data:/i;
const EMAIL = /[\w.+%'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g;

interface Leaf {
  /** Equal values have the same. */
  identity: string;
  shown: Scalar;
}

interface Flat {
  leaves: Map<string, Leaf>;
  /** The names of the elements of lists, in their order. */
  lists: Map<string, string[]>;
}

/**
 * Compares two JSON values. `null` counts as absence. No change has a secret, an image or an email
 * address, and together they are small: `more` is the number of those left out.
 */
export function changesBetween(before: unknown, after: unknown): { changes: ValueChange[]; more: number } {
  const [old, now] = [flatten(before), flatten(after)];
  const changes: ValueChange[] = [];
  let [more, characters] = [0, 0];
  const add = (path: string, from: Scalar | undefined, to: Scalar | undefined): void => {
    const change = {
      path: path.slice(0, MAX_PATH),
      ...(from !== undefined && { before: from }),
      ...(to !== undefined && { after: to }),
    };
    characters += JSON.stringify(change).length;
    if (changes.length < MAX_CHANGES && characters <= MAX_CHARACTERS) changes.push(change);
    else more += 1;
  };
  for (const path of new Set([...old.leaves.keys(), ...now.leaves.keys()])) {
    const [from, to] = [old.leaves.get(path), now.leaves.get(path)];
    if (from?.identity === to?.identity) continue;
    const start = differenceOf(from?.shown, to?.shown);
    add(path, from && excerpt(from.shown, start), to && excerpt(to.shown, start));
  }
  for (const [path, names] of now.lists) {
    const oldNames = old.lists.get(path) ?? [];
    const common = (all: readonly string[], others: ReadonlySet<string>) => all.filter((one) => others.has(one));
    const from = common(oldNames, new Set(names)).join(', ');
    const to = common(names, new Set(oldNames)).join(', ');
    if (from === to) continue;
    const start = differenceOf(from, to);
    add(path, excerpt(from, start), excerpt(to, start));
  }
  return { changes, more };
}

function flatten(root: unknown): Flat {
  const flat: Flat = { leaves: new Map(), lists: new Map() };
  visit(root, []);
  return flat;

  function visit(value: unknown, path: readonly string[]): void {
    if (value === undefined || value === null) return;
    if (value instanceof Masked) set(path, value.value, value.shown);
    else if (typeof value === 'string') set(path, value, shownText(value, path.at(-1)));
    else if (typeof value === 'number' || typeof value === 'boolean') set(path, String(value), value);
    else if (Array.isArray(value)) visitList(value, path);
    else if (hasJson(value)) visit(value.toJSON(), path);
    else for (const [name, member] of Object.entries(value)) visit(member, [...path, name]);
  }

  function visitList(list: readonly unknown[], path: readonly string[]): void {
    if (list.length === 0) return;
    if (list.some((one) => typeof one === 'object' && one !== null)) {
      const names = namesOf(list);
      if (names) flat.lists.set(path.join('.'), names);
      for (const [index, one] of list.entries()) visit(one, [...path, names?.[index] ?? String(index)]);
    } else {
      const texts = list.map((one) => shownText(String(one), path.at(-1)));
      set(path, JSON.stringify(list), texts.join(', '));
    }
  }

  function set(path: readonly string[], value: string, shown: Scalar): void {
    flat.leaves.set(path.join('.'), { identity: `${typeof shown}:${value}`, shown });
  }
}

const hasJson = (value: unknown): value is { toJSON(): unknown } =>
  typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function';

/** Returns the different names of the elements of a list; undefined when they have none. */
function namesOf(list: readonly unknown[]): string[] | undefined {
  for (const member of NAMES) {
    const names = list.map((one) => (one as Readonly<Record<string, unknown>> | null)?.[member]);
    const isNamed = names.every((name): name is string => typeof name === 'string' && name !== '');
    if (isNamed && new Set(names).size === names.length) return names;
  }
  return undefined;
}

function shownText(text: string, member: string | undefined): string {
  if (member !== undefined && SECRET.test(member)) return MASK;
  if (DATA_URL.test(text)) return MASK;
  return text.includes('@') ? text.replace(EMAIL, MASK) : text;
}

/** Returns where long texts differ first, a little earlier; 0 when their beginning says it. */
function differenceOf(one: Scalar | undefined, other: Scalar | undefined): number {
  if (typeof one !== 'string' || typeof other !== 'string') return 0;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at < MAX_LENGTH / 2 ? 0 : at - 20;
}

function excerpt(value: Scalar, start: number): Scalar {
  if (typeof value !== 'string' || (start === 0 && value.length <= MAX_LENGTH)) return value;
  const end = start + MAX_LENGTH;
  const part = value.slice(start, end).toWellFormed();
  return `${start > 0 ? MASK : ''}${part}${value.length > end ? MASK : ''}`;
}
