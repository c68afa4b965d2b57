/** The shard keys of collections that grow with submissions. */
export const SHARD_KEYS: Readonly<Record<string, Readonly<Record<string, 1 | 'hashed'>>>> = {
  users: { appId: 1, email: 1 },
};
