import type { AppCollection } from './apps.model.ts';
import type { App } from './apps.service.ts';

const FLUSH_AFTER_MS = 1_000;

interface Noted {
  app: Pick<App, 'id' | 'sourceAppId'>;
  at: Date;
}

export type AppActivity = ReturnType<typeof createAppActivity>;

/**
 * Remembers when each app last took a submission, in its app document. The alternative, an index on the records' `updatedAt`, would be written with every submission;
 * this costs one small write for each busy app and second, whatever the number of submissions. What is not written yet is lost in a crash, so the time is for people to look
 * at and no promise rests on it.
 */
export function createAppActivity(apps: AppCollection) {
  let noted = new Map<string, Noted>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  function note(app: Pick<App, 'id' | 'sourceAppId'>, at: Date): void {
    const earlier = noted.get(app.sourceAppId);
    if (!earlier || earlier.at < at) noted.set(app.sourceAppId, { app, at });
    // A failed write is tried again with the next submission.
    timer ??= setTimeout(() => void flush().catch(() => undefined), FLUSH_AFTER_MS).unref();
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const due = noted;
    if (due.size === 0) return;
    noted = new Map();
    const updates = [...due.values()].map(({ app, at }) => ({
      // By _id, and never an upsert: an app that was deleted meanwhile stays gone.
      updateOne: { filter: { _id: app.id }, update: { $max: { lastSubmissionAt: at } } },
    }));
    try {
      await apps.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
    } catch (error) {
      for (const { app, at } of due.values()) note(app, at);
      throw error;
    }
  }

  /** Resolves when all that was noted before the call is in the database. */
  function flush(): Promise<void> {
    running = running.catch(() => undefined).then(write);
    return running;
  }

  return { note, flush };
}
