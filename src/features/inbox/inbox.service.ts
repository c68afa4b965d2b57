import type { ScopedApp } from '../../core/api/principal.ts';
import { TEXT_VALUES } from '../../core/fields/base/queries.ts';
import type { RecordBatches } from '../../core/users/record-json.ts';
import { Conflict } from '../../platform/core/errors.ts';
import { decode } from '../../platform/database/collections.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { HIGHEST, LOWEST } from '../../platform/text/comparison.ts';
import type { HistorySettingsStore } from '../history/history-settings.ts';
import type { KeptSubmission } from '../history/kept-submissions.ts';
import type { Predicate } from '../search/condition-filters.ts';
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
}

/** The name of the email among the index slots of kept submissions. */
const EMAIL = 'email';
const slotOf: SlotOf = (key) => (key === EMAIL ? { slot: 's0', use: EMAIL } : undefined);

export type InboxService = ReturnType<typeof createInboxService>;

/** The submissions that an app keeps (spec 4.3.7), newest first. */
export function createInboxService(deps: {
  settings: Pick<HistorySettingsStore, 'get'>;
  queried: ReadQueriedApp;
  query: UserQuery;
  cursors: Cursors;
}) {
  const { settings, queried, query, cursors } = deps;

  /** @throws {Conflict} when the app keeps no submissions */
  async function prepare(app: ScopedApp, request: InboxRequest) {
    const { submissions } = await settings.get(app.id);
    if (!submissions) throw new Conflict('keepsNoSubmissions');
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
      const { where = [], q, from, to } = request;
      const bound = ['submissions', app.id.toHexString(), [...where].sort(), q, from, to];
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
  };
}

function parseInbox({ where = [], q, from, to }: InboxRequest, schema: QuerySchema): Query {
  const time = from || to ? [between(from, to)] : [];
  return {
    predicates: [...parseWhere(where, schema).map(byEmailSlot), ...time],
    search: q === undefined ? undefined : textSearch(q),
    sort: parseSort(undefined, undefined, schema),
    // Newest first, whatever the search.
    isSorted: true,
  };
}

/** Several submissions have one email, so that of a record is no index of theirs. */
function byEmailSlot(predicate: Predicate): Predicate {
  const { target } = predicate;
  return target.path === 'email' ? { ...predicate, target: { ...target, values: TEXT_VALUES, key: EMAIL } } : predicate;
}

function between(from: Date | undefined, to: Date | undefined): Predicate {
  const bound = (time: Date) => ({ value: time.getTime(), isAfter: false });
  if (from && to && from > to) throw invalidQuery('to', 'beforeFrom');
  const interval = { low: from ? bound(from) : LOWEST, high: to ? bound(to) : HIGHEST };
  return { target: CREATED_AT, test: { is: 'within', intervals: [interval] }, isNot: false };
}

/** The answer's form of a kept submission. */
export function present(bytes: Uint8Array) {
  const { _id, userId, email, createdAt, revision, schemaVersion, data, created, page, lang } =
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
  };
}
