import type { ScopedApp } from '../../core/api/principal.ts';
import { TEXT_VALUES } from '../../core/fields/base/queries.ts';
import { checkbox } from '../../core/fields/kinds/checkbox.ts';
import type { RecordBatches } from '../../core/users/record-json.ts';
import { Conflict, NotFound } from '../../platform/core/errors.ts';
import type { Until } from '../../platform/database/clock.ts';
import { decode } from '../../platform/database/collections.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { HIGHEST, LOWEST, only } from '../../platform/text/comparison.ts';
import type { HistorySettingsStore } from '../history/history-settings.ts';
import type { KeptSubmission, KeptSubmissions } from '../history/kept-submissions.ts';
import type { RecordPages } from '../record-reads/record-pages.ts';
import type { Predicate, Target } from '../search/condition-filters.ts';
import { CREATED_AT, invalidQuery, parseSort, parseWhere, type QuerySchema } from '../search/conditions.ts';
import type { Query } from '../search/plan.ts';
import type { ReadQueriedApp, SlotOf } from '../search/queried-app.ts';
import { textSearch } from '../search/text-search.ts';
import type { PageStart, UserQuery } from '../search/user-query.ts';

/** The parameters that select submissions. */
interface InboxRequest {
  where?: readonly string[] | undefined;
  q?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Absent: the open ones and the done ones. */
  done?: boolean | undefined;
}

/** The members with an index, under names that no field has. */
const SLOTS: Readonly<Record<string, string>> = { '.email': 's0', '.done': 'done' };
const slotOf: SlotOf = (key) => {
  const slot = SLOTS[key];
  return slot === undefined ? undefined : { slot, use: key };
};
const DONE: Target = { path: 'done', key: '.done', values: checkbox.queried };

export type InboxService = ReturnType<typeof createInboxService>;

/** The submissions that an app keeps (spec 4.3.7), newest first. */
export function createInboxService(deps: {
  settings: Pick<HistorySettingsStore, 'get'>;
  queried: ReadQueriedApp;
  query: UserQuery;
  cursors: Cursors;
  pages: Pick<RecordPages, 'byIds'>;
  setDone: KeptSubmissions['setDone'];
}) {
  const { settings, queried, query, cursors, pages, setDone } = deps;

  /** @throws {Conflict} when the app keeps no submissions */
  async function requireKept(app: ScopedApp): Promise<void> {
    const { submissions } = await settings.get(app.id);
    if (!submissions) throw new Conflict('keepsNoSubmissions');
  }

  async function prepare(app: ScopedApp, request: InboxRequest) {
    await requireKept(app);
    const { schema } = await queried(app);
    return { schema, parsed: parseInbox(request, schema) };
  }

  return {
    /**
     * A page; it may be short, or empty, while `next` is there.
     * @throws {InvalidInput | Conflict}
     */
    async page(
      app: ScopedApp,
      { limit, cursor, ...request }: InboxRequest & { limit: number; cursor?: string | undefined },
    ): Promise<{ submissions: object[]; next?: string }> {
      const { parsed } = await prepare(app, request);
      const { where = [], q, from, to, done } = request;
      const bound = ['submissions', app.id.toHexString(), [...where].sort(), q, from, to, done];
      const start = cursors.read<PageStart>(cursor, bound);
      const page = await query.page(app.id, parsed, slotOf, { limit, start, total: 'none' });
      const submissions: object[] = [];
      for await (const batch of page.users) for (const bytes of batch) submissions.push(present(bytes));
      return { submissions, ...(page.next && { next: cursors.write(page.next, bound) }) };
    },

    /**
     * All that match as BSON, with the newest schema of the app.
     * @throws {InvalidInput | Conflict}
     */
    async all(
      app: ScopedApp,
      request: InboxRequest,
      signal?: AbortSignal,
    ): Promise<{ submissions: RecordBatches; schema: QuerySchema }> {
      const { parsed, schema } = await prepare(app, request);
      return { submissions: await query.all(app.id, parsed, slotOf, signal), schema };
    },

    /**
     * Marks a submission as done, or as open again, and resolves with it. A repeat changes nothing.
     * @throws {NotFound | Conflict}
     */
    async change(app: ScopedApp, id: string, { done }: { done: boolean }, until: Until) {
      await requireKept(app);
      const known = parseUuid(id);
      if (known && (await setDone(app.id, known, done, await until()))) {
        for await (const [bytes] of pages.byIds(app.id, [known])) if (bytes) return present(bytes);
      }
      throw new NotFound('submissionNotFound');
    },
  };
}

function parseInbox({ where = [], q, from, to, done }: InboxRequest, schema: QuerySchema): Query {
  const time = from || to ? [between(from, to)] : [];
  const state = done === undefined ? [] : [isDone(done)];
  return {
    predicates: [...parseWhere(where, schema).map(byEmailSlot), ...time, ...state],
    search: q === undefined ? undefined : textSearch(q),
    sort: parseSort(undefined, undefined, schema),
    // Newest first, whatever the search.
    isSorted: true,
  };
}

/** Several submissions have one email, so that of a record is no index of theirs. */
function byEmailSlot(predicate: Predicate): Predicate {
  const { target } = predicate;
  return target.path === 'email'
    ? { ...predicate, target: { ...target, values: TEXT_VALUES, key: '.email' } }
    : predicate;
}

/** An open submission does not have the member. */
const isDone = (done: boolean): Predicate => ({
  target: DONE,
  test: done ? { is: 'within', intervals: [only(true)] } : { is: 'absent' },
  isNot: false,
});

function between(from: Date | undefined, to: Date | undefined): Predicate {
  const bound = (time: Date) => ({ value: time.getTime(), isAfter: false });
  if (from && to && from > to) throw invalidQuery('to', 'beforeFrom');
  const interval = { low: from ? bound(from) : LOWEST, high: to ? bound(to) : HIGHEST };
  return { target: CREATED_AT, test: { is: 'within', intervals: [interval] }, isNot: false };
}

/** The answer's form of a kept submission. */
export function present(bytes: Uint8Array) {
  const { _id, userId, email, createdAt, revision, schemaVersion, data, created, page, lang, done } =
    decode<KeptSubmission>(bytes);
  return {
    id: _id.toString(),
    userId: userId.toString(),
    email,
    at: createdAt.toISOString(),
    revision,
    schemaVersion,
    data,
    created,
    ...(page !== undefined && { page }),
    ...(lang !== undefined && { lang }),
    ...(done && { done }),
  };
}
