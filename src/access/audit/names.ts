import { ObjectId } from 'mongodb';

/** Name and email of an account as they are now. What is stored has only the id. */
export interface NamedAccount {
  name: string;
  email: string;
}

/** Reads those of these accounts that exist, by their id in hexadecimal, with one statement. */
export type FindAccounts = (ids: readonly ObjectId[]) => Promise<ReadonlyMap<string, NamedAccount>>;

/** Reads the names of those that exist, by their id as a string, with one statement. */
type FindNames<Id> = (ids: readonly Id[]) => Promise<ReadonlyMap<string, string>>;

/** Who did something, or whom it changed: their ids, as strings, of one page of a list. */
export interface NamedIds {
  accounts?: readonly string[];
  keys?: readonly string[];
  webhooks?: readonly string[];
}

/** The names, by the ids. Those of deleted accounts, keys and webhooks are absent. */
export interface Names {
  accounts: ReadonlyMap<string, NamedAccount>;
  keys: ReadonlyMap<string, string>;
  webhooks: ReadonlyMap<string, string>;
}

/** Resolves with the present names of a page, with at most one statement for each kind. */
export type ReadNames = (ids: NamedIds) => Promise<Names>;

/** @param find how the owner of each kind reads names; the name of a webhook is its shown URL */
export function createNames(find: {
  accounts: FindAccounts;
  keys: FindNames<ObjectId>;
  webhooks: FindNames<string>;
}): ReadNames {
  const objectIds = (ids: readonly string[]): ObjectId[] =>
    distinct(ids)
      .filter((id) => /^[0-9a-f]{24}$/.test(id))
      .map((id) => new ObjectId(id));
  return async ({ accounts = [], keys = [], webhooks = [] }) => {
    const [ofAccounts, ofKeys, ofWebhooks] = await Promise.all([
      readSome(find.accounts, objectIds(accounts)),
      readSome(find.keys, objectIds(keys)),
      readSome(find.webhooks, distinct(webhooks)),
    ]);
    return { accounts: ofAccounts, keys: ofKeys, webhooks: ofWebhooks };
  };
}

const distinct = (ids: readonly string[]): string[] => [...new Set(ids)];

async function readSome<Id, Name>(
  find: (ids: readonly Id[]) => Promise<ReadonlyMap<string, Name>>,
  ids: readonly Id[],
): Promise<ReadonlyMap<string, Name>> {
  return ids.length === 0 ? new Map<string, Name>() : find(ids);
}
