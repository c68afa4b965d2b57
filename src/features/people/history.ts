import type { ObjectId } from 'mongodb';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath, ScopeParameter } from '../../core/api/parameters.ts';
import { NotFound } from '../../platform/core/errors.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import type { Older } from '../../platform/database/removal.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { component, Timestamp } from '../../platform/http/validation.ts';
import type { Job } from '../../platform/jobs/job-runner.ts';
import { createPassJob } from '../../platform/jobs/pass-job.ts';
import type { Pace } from '../activity/activity.ts';
import type { Names, ReadNames } from '../audit/names.ts';
import type { RecordHistory } from '../history/history.ts';
import { type NumberedEntry, underPresentKeys } from '../history/history-entries.ts';
import { HistorySettingsBody, type HistorySettingsStore, MAX_HISTORY_DAYS } from '../history/history-settings.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import type { PendingRenames } from '../renames/renames.ts';
import { Cursor } from '../search/parameters.ts';
import { UserPath } from '../search/users.routes.ts';

const PAGE = 20;

const Change = component('HistoryChange', {
  path: z.string().meta({
    description: '`data.<key>` with the present key of a renamed field, or `data.<key>[]`: items of a list',
    example: 'data.phone',
  }),
  before: z.unknown().optional().meta({
    description: 'Absent: it had no value, or a submission replaced it. `null`: a submission set it to its default',
  }),
  after: z.unknown().optional().meta({ description: 'Absent: it has no value' }),
  omitted: z.literal(true).optional().meta({ description: 'The values were too large to keep' }),
});

const Author = component('HistoryAuthor', {
  kind: z.enum(['submission', 'edit', 'person', 'import', 'rename', 'revert', 'scan']),
  account: z.string().optional().meta({ description: 'The id of an account' }),
  key: z.string().optional().meta({ description: 'The id of an API key' }),
  name: z.string().optional().meta({ description: 'The name of that account or key now, if it exists' }),
  import: z.string().optional().meta({ description: 'The id of an import' }),
  change: z.string().optional().meta({ description: 'The id of a change of many records' }),
  reverted: z.int().positive().optional().meta({ description: 'The revision that a revert undid' }),
});

const HistoryEntry = component('HistoryEntry', {
  at: Timestamp,
  revision: z.int().positive().meta({ example: 3 }),
  by: Author,
  changes: z.array(Change),
});

const settings = {
  path: '/auth/apps/:sourceAppId/history',
  params: AppPath,
  auth: 'session',
  load: 'light',
  tag: 'Users',
  response: HistorySettingsBody,
} as const;

/** The endpoints of the history of records (spec 4.3.5). */
export const historyEndpoints = {
  getHistorySettings: {
    ...settings,
    method: 'get',
    scope: 'users:read',
    scoped: true,
    summary: 'What the history of records keeps',
    description: 'For those who may read the records of the app.',
  },
  replaceHistorySettings: {
    ...settings,
    method: 'put',
    scope: 'manage',
    scoped: true,
    audit: 'history.replaced',
    summary: 'Set what the history of records keeps',
    description:
      'For the operators of the app and for admins. Entries that are older than `days` are removed within an hour. Edits and imports are always entries.',
    body: jsonBody(HistorySettingsBody, 'invalidHistory'),
  },
  listHistory: {
    method: 'get',
    path: '/auth/users/:id/history',
    auth: 'session or key',
    scope: 'users:read',
    scoped: true,
    load: 'light',
    tool: true,
    tag: 'Users',
    summary: "The changes of one of the session's users",
    description: 'Newest first, in pages. `next` is the cursor of the next page.',
    params: UserPath,
    query: z.strictObject({ sourceAppId: ScopeParameter, cursor: Cursor }),
    response: z.strictObject({
      entries: z.array(HistoryEntry),
      next: z.string().optional().meta({ example: 'AbC123' }),
    }),
  },
} as const satisfies Endpoints;

export const historyRoutes = (deps: {
  history: Pick<RecordHistory, 'page'>;
  settings: HistorySettingsStore;
  renamesSince: RenameStore['since'];
  readNames: ReadNames;
  cursors: Cursors;
}): Route[] => {
  const { history, settings: store, renamesSince, readNames, cursors } = deps;
  return routes(historyEndpoints, {
    getHistorySettings: async ({ app }) => store.get(app.id),

    replaceHistorySettings: async ({ app, body, until, audit }) => {
      const before = await store.replace(app.id, body, until);
      audit({ changed: { before, after: body } });
      return body;
    },

    listHistory: async ({ app, params, query: { cursor } }) => {
      const id = parseUuid(params.id);
      const bound = ['history', app.id, params.id];
      const { before } = cursors.read<{ before: number }>(cursor, bound) ?? { before: MAX_REVISION };
      const { days } = await store.get(app.id);
      const since = new Date(Date.now() - days * DAY_MS);
      const page = id && (await history.page(app.id, id, { before, limit: PAGE, since }));
      if (!page) throw new NotFound('userNotFound');
      const { entries, hasMore } = page;
      const oldest = Math.min(...entries.map(({ version }) => version));
      const renames = entries.length > 0 ? await renamesSince(app.id, oldest) : [];
      const names = await readNames({
        accounts: entries.flatMap(({ by }) => by.account ?? []),
        keys: entries.flatMap(({ by }) => by.key ?? []),
      });
      const last = entries.at(-1);
      return {
        entries: entries.map((entry) => presentEntry(entry, renames, names)),
        ...(hasMore && last && { next: cursors.write({ before: last.revision }, bound) }),
      };
    },
  });
};

const MAX_REVISION = 0xffffffff;

function presentEntry(
  { at, revision, by, changes, version }: NumberedEntry,
  renames: readonly PendingRenames[],
  { accounts, keys }: Names,
) {
  const name = accounts.get(by.account ?? '')?.name ?? keys.get(by.key ?? '');
  return {
    at: at.toISOString(),
    revision,
    by: { ...by, ...(name !== undefined && { name }) },
    changes: underPresentKeys({ version, changes }, renames),
  };
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const EVERY_MS = 10 * 60 * 1_000;
const APPS_AT_ONCE = 100;

interface Pass {
  appIds: ObjectId[];
  /** The last app that was read. */
  after: ObjectId | undefined;
}

/** The job that removes entries and submissions for their age. A wrong clock removes nothing. */
export function createHistoryJob(deps: {
  /** Each drops what is older; resolves with whether more may be. */
  parts: readonly ((appId: ObjectId, older: Older) => Promise<boolean>)[];
  settings: HistorySettingsStore;
  idsAfter(after: ObjectId | undefined, count: number): Promise<ObjectId[]>;
  clock: Pick<DatabaseClock, 'read' | 'earlier' | 'isTrusted'>;
  pace: Pick<Pace, 'throttle'>;
  everyMs?: number | undefined;
}): Job {
  const { parts, settings: store, idsAfter, clock, pace, everyMs = EVERY_MS } = deps;

  async function advance(pass: Pass): Promise<boolean> {
    const until = new Date((await clock.read()).getTime() + READ_HOLDS_MS);
    if (!clock.isTrusted()) return false;
    if (pass.appIds.length === 0) {
      pass.appIds = await idsAfter(pass.after, APPS_AT_ONCE);
      pass.after = pass.appIds.at(-1);
    }
    const [appId] = pass.appIds;
    if (!appId) return false;
    const { days } = await store.get(appId).catch((error) => {
      if (error instanceof NotFound) return { days: MAX_HISTORY_DAYS };
      throw error;
    });
    const before = new Date(clock.earlier().getTime() - days * DAY_MS);
    let hasMore = false;
    for (const dropOld of parts) if (await dropOld(appId, { before, until })) hasMore = true;
    if (!hasMore) pass.appIds.shift();
    return true;
  }

  return createPassJob<Pass>({
    name: 'history',
    everyMs,
    throttle: pace.throttle,
    begin: () => Promise.resolve({ appIds: [], after: undefined }),
    advance,
  });
}
