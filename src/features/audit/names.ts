import type { ObjectId } from 'mongodb';
import { parseObjectId } from '../../platform/database/ordered-ids.ts';

/** Name and email of an account as they are now. What is stored has only the id. */
export interface AccountName {
  name: string;
  email: string;
}

/** Reads those of these accounts that exist, by their id in hexadecimal, with one statement. */
type FindAccounts = (ids: readonly ObjectId[]) => Promise<ReadonlyMap<string, AccountName>>;

/** Reads the names of those that exist, by their id as a string, with one statement. */
type FindNames<Id> = (ids: readonly Id[]) => Promise<ReadonlyMap<string, string>>;

/** What a list calls a change of many users. */
interface NamedChange {
  users: number;
  createdAt: Date;
}

/** Reads those of these changes that are kept, by their id as a string, with one statement. */
type FindChanges = (ids: readonly ObjectId[]) => Promise<ReadonlyMap<string, NamedChange>>;

/** The names, by the ids. What was deleted, or is no longer kept, is absent. */
export interface Names {
  accounts: ReadonlyMap<string, AccountName>;
  keys: ReadonlyMap<string, string>;
  webhooks: ReadonlyMap<string, string>;
  views: ReadonlyMap<string, string>;
  changes: ReadonlyMap<string, NamedChange>;
  /** The names of their files; empty for a file without a name. */
  imports: ReadonlyMap<string, string>;
  /** The emails of the open ones. */
  invitations: ReadonlyMap<string, string>;
}

/** Who did something, or what it changed: their ids, as strings, of one page of a list. */
type NamedIds = { [Kind in keyof Names]?: readonly string[] };

/** Resolves with the present names of a page, with at most one statement for each kind. */
export type ReadNames = (ids: NamedIds) => Promise<Names>;

/** How features read the names of what they own; the name of a webhook is its shown URL. */
interface NameFinders {
  accounts: FindAccounts;
  keys: FindNames<ObjectId>;
  webhooks: FindNames<string>;
  views: FindNames<ObjectId>;
  changes: FindChanges;
  imports: FindNames<ObjectId>;
  invitations: FindNames<string>;
}

declare module '../../core/feature.ts' {
  interface Feature {
    /** The names of what the feature owns, for lists that name it by its id. */
    names?: Partial<NameFinders>;
  }
}

/** @param finders those of all features */
export function createNames(finders: () => Partial<NameFinders>): ReadNames {
  const objectIds = (ids: readonly string[] = []): ObjectId[] => distinct(ids).flatMap((id) => parseObjectId(id) ?? []);
  return async (ids) => {
    const find = finders();
    const [accounts, keys, webhooks, views, changes, imports, invitations] = await Promise.all([
      readSome(find.accounts, objectIds(ids.accounts)),
      readSome(find.keys, objectIds(ids.keys)),
      readSome(find.webhooks, distinct(ids.webhooks)),
      readSome(find.views, objectIds(ids.views)),
      readSome(find.changes, objectIds(ids.changes)),
      readSome(find.imports, objectIds(ids.imports)),
      readSome(find.invitations, distinct(ids.invitations)),
    ]);
    return { accounts, keys, webhooks, views, changes, imports, invitations };
  };
}

const distinct = (ids: readonly string[] = []): string[] => [...new Set(ids)];

async function readSome<Id, Name>(
  find: ((ids: readonly Id[]) => Promise<ReadonlyMap<string, Name>>) | undefined,
  ids: readonly Id[],
): Promise<ReadonlyMap<string, Name>> {
  return ids.length === 0 || !find ? new Map<string, Name>() : find(ids);
}
