import { t } from '../../texts/first-texts.ts';

/** Who did something: the ids, and the name that the account or key has now. */
interface Author {
  account?: string | undefined;
  key?: string | undefined;
  name?: string | undefined;
}

/** The name of an account or an API key, also of a deleted one; undefined without either. */
export function authorName({ account, key, name }: Author): string | undefined {
  if (account !== undefined) return name ?? t.common.deletedAccount;
  if (key !== undefined) return name === undefined ? t.common.deletedKey : t.common.apiKey(name);
  return undefined;
}

/** The id behind {@link authorName}, to show as a title. */
export const authorId = ({ account, key }: Author): string | undefined => account ?? key;
