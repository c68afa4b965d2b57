import type { ObjectId } from 'mongodb';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import type { UserDocument } from '../../../src/core/users/users.model.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { rounds } from '../../support/run/rounds.ts';

/** The records of the large app. */
export const LARGE = rounds(100_000, 20_000);
const BATCH = 5_000;
const DAY_MS = 86_400_000;
/** The oldest record is this old. */
const OLDEST_DAYS = 400;

const PLANS = ['free', 'pro', 'team', 'enterprise'];

/** The fields before any of them is indexed. */
export const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', label: 'Full name', kind: 'text' },
  { key: 'plan', label: 'Plan', kind: 'select', enum: PLANS, enumLabels: { pro: 'Professional' } },
  { key: 'age', label: 'Age', kind: 'number' },
  { key: 'born', label: 'Born', kind: 'date' },
  { key: 'news', label: 'Newsletter', kind: 'checkbox' },
  { key: 'city', label: 'City', kind: 'text' },
  { key: 'spent', label: 'Spent', kind: 'number' },
  { key: 'visits', label: 'Visits', kind: 'array' },
];
/** The keys of the fields that become indexed, in the order of the schema. */
export const INDEXED = ['name', 'plan', 'age'];
export const INDEXED_FIELDS = FIELDS.map((field) =>
  INDEXED.includes(field.key) ? { ...field, indexed: true } : field,
) as FieldDefinitionInput[];

const FIRST = 'Ada,Alan,Åsa,Björn,Chloé,Dmitri,Edsger,Fatima,Grace,Hiro,Inés,José,Katherine,Łukasz,Margaret'.split(',');
FIRST.push(...'Niklaus,Olu,Priya,Qiang,Radia,Søren,Tim,Uma,Vint,Wei,Xóchitl,Yuki,Zoë,Barbara,Donald'.split(','));
const LAST = 'Lovelace,Turing,Hopper,Johnson,Perlman,García,Müller,Nakamura,O’Brien,Papadopoulos,Szabó'.split(',');
LAST.push(...'Van der Berg,Wójcik,Yılmaz,Ferreira da Silva,Kowalska,Nguyễn,Andersson,Robinson,Sato'.split(','));
const CITIES = 'Berlin,Cairo,Lima,Lisbon,Nairobi,Osaka,Oslo,Paris,Rome,São Paulo,Toronto,Vienna'.split(',');

/** The person whom only a search through everything finds: one of the oldest. */
export const RARE = { at: 1_234, name: 'Wilhelmina Featherstonehaugh', city: 'Reykjavík' };
/** The newest person has the longest email that is accepted. */
const LONGEST_EMAIL = `${'long'.repeat(16)}@${'label-of-a-domain'.repeat(3)}.${'a'.repeat(60)}.${'b'.repeat(60)}.example`;

/** The email of a person of the large app. */
export function emailOf(at: number): string {
  if (at === LARGE - 1) return LONGEST_EMAIL;
  const local = `${FIRST[at % FIRST.length]}.${LAST[at % LAST.length]}`.normalize('NFD').replace(/[^\w.]/g, '');
  return `${local.toLowerCase()}.${at}@example.${at % 3 ? 'com' : 'org'}`;
}

/** A value, but for each `every`-th record none. */
const unless = (mixed: number, every: number, value: unknown) => (mixed % every === 0 ? undefined : value);

function dataOf(at: number, createdAt: Date): Record<string, unknown> {
  // A fixed permutation instead of chance: every run has the same records.
  const mixed = (at * 7_919) % 1_000_003;
  const name = `${FIRST[mixed % FIRST.length]} ${LAST[(mixed >> 3) % LAST.length]}`;
  const visits = Array.from({ length: (mixed % 5) - 1 > 0 ? (mixed % 5) - 1 : 0 }, (_, visit) => ({
    page: ['/', '/pricing', '/docs'][visit],
    timestamp: createdAt.toISOString(),
  }));
  const data = {
    name: unless(mixed, 17, name),
    plan: unless(mixed, 23, PLANS[Math.floor((mixed % 10) ** 2 / 26)]),
    age: unless(mixed, 13, 18 + (mixed % 71)),
    born: unless(mixed, 13, new Date(Date.UTC(1936, 0, 1) + (mixed % 25_000) * DAY_MS).toISOString().slice(0, 10)),
    news: [true, false, undefined][mixed % 3],
    city: unless(mixed, 29, CITIES[(mixed >> 4) % CITIES.length]),
    spent: unless(mixed, 4, (mixed % 250_000) / 100),
    visits: visits.length > 0 ? visits : undefined,
    // No field of the schema.
    ...(mixed % 50 === 0 && { referrer: 'https://www.example.com/spring' }),
    ...(at === RARE.at && { name: RARE.name, city: RARE.city }),
  };
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}

/** The collection of records. */
export interface Users {
  insertMany(records: UserDocument[], options: { ordered: false }): Promise<unknown>;
}

/** Stores the records of the large app as submissions store them while no field is indexed. */
export async function fillLargeApp(users: Users, appId: ObjectId, sourceAppId: string): Promise<void> {
  const newId = createOrderedIds();
  const start = Date.now() - OLDEST_DAYS * DAY_MS;
  for (let from = 0; from < LARGE; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, offset): UserDocument => {
      const at = from + offset;
      const createdAt = new Date(start + Math.floor(((OLDEST_DAYS * DAY_MS - 60_000) / LARGE) * at));
      const data = dataOf(at, createdAt);
      const base = { _id: newId(createdAt), appId, sourceAppId, email: emailOf(at), data, schemaVersion: 2 };
      const arraySizes = Array.isArray(data.visits) && { arraySizes: { visits: data.visits.length } };
      return { ...base, createdAt, updatedAt: createdAt, ...arraySizes };
    });
    await users.insertMany(batch, { ordered: false });
  }
}
