import type { ObjectId } from 'mongodb';
import { v7 } from 'uuid';
import type { ScopedApp } from '../../core/api/principal.ts';
import { InvalidInput } from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { AppReads } from '../app-administration/app-reads.ts';
import { APPS_AT_ONCE, type PersonData, type PersonFile } from './person-data.ts';
import { ALL_APPS, type Suppressions } from './suppressions.ts';

/** An erasure that takes longer is refused, and a repeat goes on: a proxy may wait for 30 s. */
const ERASE_WITHIN_MS = 15_000;

export type PeopleService = ReturnType<typeof createPeopleService>;

/** Exports and erases the data of a person (spec 4.6). */
export function createPeopleService(deps: {
  apps: Pick<AppReads, 'idsAfter' | 'namesOf'>;
  /** In the order of an erasure: data that can become another part comes first. */
  parts(): readonly PersonData[];
  suppressions: Suppressions;
  clock: Pick<DatabaseClock, 'within'>;
  logger: Logger;
}) {
  const { apps, parts, suppressions, clock, logger } = deps;

  async function* listAppIds(app: ScopedApp | undefined): AsyncGenerator<ObjectId[]> {
    if (app) return yield [app.id];
    for (let after: ObjectId | undefined; ; ) {
      const ids = await apps.idsAfter(after, APPS_AT_ONCE);
      if (ids.length === 0) return;
      yield ids;
      after = ids.at(-1);
    }
  }

  return {
    /** Yields all data, without `app` of all apps. @throws {InvalidInput} for the email, at once */
    export(email: string, app: ScopedApp | undefined, signal: AbortSignal): AsyncIterable<Record<string, unknown>> {
      return entries(normalized(email), app, signal);
    },

    /** Yields the files that the data names. @throws {InvalidInput} for the email, at once */
    files(email: string, app: ScopedApp | undefined, signal: AbortSignal): AsyncGenerator<PersonFile, void> {
      return files(normalized(email), app, signal);
    },

    /**
     * Erases all data of a person. A submission in flight may create a new record. A repeat after a
     * failure continues. With `suppress` no import restores the person. Resolves with a receipt,
     * without personal data.
     * @throws {InvalidInput} for an invalid email
     * @throws {Unavailable} when it takes longer than a request may; a repeat goes on
     */
    async erase(email: string, app: ScopedApp | undefined, { suppress }: { suppress: boolean }) {
      const person = normalized(email);
      const guard = clock.within(ERASE_WITHIN_MS);
      const erased: Record<string, number> = Object.fromEntries(parts().map(({ name }) => [name, 0]));
      // First, so that no import restores the person between the two.
      if (suppress) await suppressions.add(app?.id ?? ALL_APPS, person);
      for await (const appIds of listAppIds(app)) {
        for (const { name, eraseOf } of parts()) {
          erased[name] = (erased[name] ?? 0) + (await eraseOf(appIds, person, guard));
        }
      }
      // A statement that began too late has erased nothing.
      await guard();
      const id = v7();
      logger.info({ receipt: id, erased, suppress }, 'the data of a person was erased');
      return { id, at: new Date(), erased };
    },
  };

  async function* files(email: string, app: ScopedApp | undefined, signal: AbortSignal): AsyncGenerator<PersonFile> {
    for await (const appIds of listAppIds(app)) {
      for (const { filesOf } of parts()) {
        if (!filesOf) continue;
        for await (const file of filesOf(appIds, email)) {
          if (signal.aborted) return;
          yield file;
        }
      }
    }
  }

  async function* entries(email: string, app: ScopedApp | undefined, signal: AbortSignal) {
    if (!app) for await (const { shown } of suppressions.data.entriesOf([ALL_APPS], email)) yield shown;
    for await (const appIds of listAppIds(app)) {
      const names = app ? new Map([[app.id.toHexString(), app.sourceAppId]]) : await apps.namesOf(appIds);
      for (const part of [...parts(), suppressions.data]) {
        for await (const { appId, shown } of part.entriesOf(appIds, email)) {
          if (signal.aborted) return;
          const { kind, ...rest } = shown;
          yield { kind, sourceAppId: names.get(appId.toHexString()), ...rest };
        }
      }
    }
  }
}

function normalized(email: string): string {
  const person = normalizeEmail(email);
  if (person === undefined) {
    throw new InvalidInput('invalidBody', [{ path: 'email', ...say('notEmail') }]);
  }
  return person;
}
