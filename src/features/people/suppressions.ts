import { createHmac } from 'node:crypto';
import { Binary, ObjectId } from 'mongodb';
import { deriveSecretKey } from '../../platform/core/secrets.ts';
import type { Connection } from '../../platform/database/client.ts';
import { createModel, type DocumentOf, type Model, schema } from '../../platform/database/mongoose.ts';
import { prefixRange } from '../../platform/database/ordered-ids.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { PersonEntry } from './person-data.ts';

const APP_ID_BYTES = 12;
const HASH_BYTES = 16;

/** All apps, also later ones. No app has this id. */
export const ALL_APPS = new ObjectId('000000000000000000000000');

/** `_id` is the app's id and a hash of the email that only the secret can test. */
const suppressionSchema = schema(
  {
    _id: { type: Binary, required: true },
    at: { type: Date, required: true },
  },
  {
    collection: 'suppressed_people',
    shardKey: { _id: 1 },
    placement: 'one for each suppressed person; the id begins with that of the app',
  },
);

type SuppressionModel = Model<DocumentOf<typeof suppressionSchema>>;

export const createSuppressionModel = (connection: Connection): SuppressionModel =>
  createModel(connection, suppressionSchema);

export type Suppressions = ReturnType<typeof createSuppressions>;

/**
 * Creates the list of suppressed persons (spec 4.6). By the collection: reads of imports, a cursor.
 * @param secret SESSION_SECRET; another one does not match stored hashes. Without it every look-up
 * throws, because an answer would be wrong.
 */
export function createSuppressions(suppressed: SuppressionModel, secret: string | undefined) {
  /** The key of each app differs, so that hashes do not reveal who is in two apps. */
  function suppressionId(appId: ObjectId, email: string): Binary {
    if (secret === undefined) throw new Error('suppressions need the secret of the service');
    const key = deriveSecretKey(secret, 'suppression', appId.id);
    const hash = createHmac('sha256', key).update(email).digest().subarray(0, HASH_BYTES);
    return new Binary(Buffer.concat([appId.id, hash]));
  }

  return {
    /** Prevents imports of this person to an app, or to {@link ALL_APPS}. Idempotent. */
    async add(appId: ObjectId, email: string): Promise<void> {
      await suppressed.updateOne(
        { _id: suppressionId(appId, email) },
        { $setOnInsert: { at: new Date() } },
        { upsert: true },
      );
    },

    /** Resolves with those of at most 1,000 normalized emails that are suppressed. */
    async among(appId: ObjectId, emails: readonly string[]): Promise<Set<string>> {
      const ids = emails.flatMap((email) =>
        [appId, ALL_APPS].map((scope) => ({ email, _id: suppressionId(scope, email) })),
      );
      const byId = new Map(ids.map(({ email, _id }) => [_id.toString('hex'), email]));
      const found = await suppressed.collection.find({ _id: { $in: ids.map(({ _id }) => _id) } }).toArray();
      return new Set(found.flatMap(({ _id }) => byId.get(_id.toString('hex')) ?? []));
    },

    /** Exports contain suppressions. An erasure keeps them. */
    data: {
      async *entriesOf(appIds: readonly ObjectId[], email: string): AsyncGenerator<PersonEntry> {
        const byId = new Map(appIds.map((appId) => [suppressionId(appId, email).toString('hex'), appId]));
        const ids = appIds.map((appId) => suppressionId(appId, email));
        for await (const { _id, at } of suppressed.collection.find({ _id: { $in: ids } })) {
          const appId = byId.get(_id.toString('hex'));
          if (appId) yield { appId, shown: { kind: 'suppression', at: at.toISOString() } };
        }
      },
    },

    ...ownedBy(suppressed.collection, 'at', { of: ofApp }),
  };
}

const ofApp = (appId: ObjectId) => ({ _id: prefixRange(APP_ID_BYTES + HASH_BYTES, appId.id) });
