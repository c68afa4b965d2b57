import type { DocumentId } from '../../platform/bson/documents.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import type { EmailPlace, EmailScan } from '../record-reads/email-scan.ts';
import { createBudget, type RecordRanges } from '../record-reads/ranges.ts';
import { allOf } from '../record-reads/record-filters.ts';
import type { RecordPages } from '../record-reads/record-pages.ts';
import { buildFilter } from './condition-filters.ts';
import { invalidQuery, NO_FIELDS, parseWhere } from './conditions.ts';
import { type OrderedStart, orderedPage } from './pages.ts';
import { textSearch } from './text-search.ts';
import type { AnsweredPage } from './user-query.ts';

export interface PeopleRequest {
  q?: string | undefined;
  where?: readonly string[] | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** After an email of an app, or in the search of the data. */
interface PeopleStart {
  after?: EmailPlace | undefined;
  data?: OrderedStart;
}

/** Below the deadline of a request. */
const BUDGET_MS = 1_500;

export type PeopleSearch = ReturnType<typeof createPeopleSearch>;

/** Creates the search for a person across all apps (spec 4.4): by emails, then by data. */
export function createPeopleSearch(deps: { emails: EmailScan; pages: RecordPages; ranges: RecordRanges }) {
  const { emails, pages, ranges } = deps;

  /** @throws {InvalidInput} for other paths than `email` */
  return async (request: PeopleRequest, cursors: Cursors): Promise<AnsweredPage> => {
    const { q, where = [], limit, cursor } = request;
    const bound = ['people', q, [...where].sort()];
    const budget = createBudget(BUDGET_MS);
    const predicates = parseWhere(where, NO_FIELDS);
    if (predicates.some(({ target }) => target.path !== 'email')) {
      throw invalidQuery('where', 'notEmailCondition');
    }
    const search = q === undefined ? undefined : textSearch(q);
    const start = cursors.read<PeopleStart>(cursor, bound) ?? {};
    const ids: DocumentId[] = [];
    let next: PeopleStart | undefined = start;
    if (!start.data) {
      const conditions = allOf(search?.inEmail ?? {}, buildFilter(predicates));
      const found = await emails(conditions, { start: start.after, limit, budget });
      ids.push(...found.ids);
      next = !found.isEnd ? { after: found.after } : search ? { data: {} } : undefined;
    }
    let isFull = ids.length === limit;
    if (next?.data && search && !isFull) {
      const segments = search.acrossApps(buildFilter(predicates));
      const options = { start: next.data, limit: limit - ids.length, budget, isEager: ids.length > 0 };
      const found = await orderedPage(ranges, undefined, segments, options);
      ids.push(...found.ids);
      isFull = ids.length === limit;
      next = found.next && { data: found.next };
    }
    return {
      users: pages.byIds(undefined, ids),
      rest: { ...(next && { next: cursors.write(next, bound) }), complete: isFull || next === undefined },
    };
  };
}
