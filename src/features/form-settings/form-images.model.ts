import { Binary, ObjectId } from 'mongodb';
import type { Connection } from '../../platform/database/client.ts';
import { beginsBefore } from '../../platform/database/clock.ts';
import { createModel, type DocumentOf, type Model, schema } from '../../platform/database/mongoose.ts';
import type { SentImage } from './appearance.ts';

/**
 * An image of an app's forms, apart from the settings, which every submission reads. It never
 * changes: another image has another `_id`.
 */
const imageSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    content: { type: Binary, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'form_images', placement: 'at most three for each app, which few requests read' },
).index({ appId: 1 });
type FormImageDocument = DocumentOf<typeof imageSchema>;

export const createFormImageModel = (connection: Connection): Model<FormImageDocument> =>
  createModel(connection, imageSchema);

/** The images in memory, of at most 300 kB each. */
const MAX_CACHED = 16;
/** How long after its start a replacement of settings cannot refer to an image any more. */
const UNUSED_AFTER_MS = 60 * 60_000;

export type FormImageStore = ReturnType<typeof createFormImageStore>;

/** The images of all apps in the database. */
export function createFormImageStore(images: Model<FormImageDocument>) {
  const cache = new Map<string, Buffer>();

  async function read(_id: ObjectId): Promise<Buffer | undefined> {
    const found = await images.findOne({ _id });
    return found ? Buffer.from(found.content.buffer) : undefined;
  }

  return {
    async add(appId: ObjectId, { content }: SentImage): Promise<ObjectId> {
      const _id = new ObjectId();
      await images.insertOne({ _id, appId, content: new Binary(content), createdAt: new Date() });
      return _id;
    },

    /** Resolves with the bytes of an image; undefined when it was replaced. */
    async find(id: ObjectId): Promise<Buffer | undefined> {
      const key = id.toHexString();
      const content = cache.get(key) ?? (await read(id));
      if (!content) return undefined;
      // The last used one is the last entry.
      cache.delete(key);
      cache.set(key, content);
      const [oldest] = cache.keys();
      if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
      return content;
    },

    /** @param until by MongoDB's clock: later, restored settings may have them */
    async remove(appId: ObjectId, ids: readonly ObjectId[], until?: Date): Promise<void> {
      const inTime = until && beginsBefore(until);
      if (ids.length > 0) await images.deleteMany({ appId, _id: { $in: [...ids] }, ...inTime });
    },

    /**
     * Removes what failed replacements of the settings left.
     * @param used the images of the settings that a replacement stored, which began at `startedAt`
     * @param until as {@link remove}
     */
    async removeUnused(appId: ObjectId, used: readonly ObjectId[], startedAt: number, until: Date): Promise<void> {
      const createdAt = { $lt: new Date(startedAt - UNUSED_AFTER_MS) };
      await images.deleteMany({ appId, _id: { $nin: [...used] }, createdAt, ...beginsBefore(until) });
    },
  };
}
