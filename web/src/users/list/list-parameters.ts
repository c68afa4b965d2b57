import { useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';

export const PAGE_SIZES = [25, 50, 100, 200] as const;
const DEFAULT_SIZE = 50;
/** The cursors of earlier pages that an entry of the browser's history keeps. */
const MAX_CURSORS = 50;

/** The conditions of a list. */
export interface UserFilter {
  /** A part of the email or of any text. */
  q: string;
  /** Conditions `<path>:<operator>:<value>`; all must hold. */
  where: readonly string[];
}

/** The view of the user list, which the URL stores, so that views can be bookmarked and shared. */
export interface ListParameters extends UserFilter {
  /** Page number, from 1. */
  page: number;
  size: number;
  /** `createdAt`, `updatedAt`, `email` or `data.<key>`; empty: the default order. */
  sort: string;
  order: 'asc' | 'desc';
  /** The ids of the columns to show; empty for those that this browser keeps. */
  columns: readonly string[];
  /** The path by which the users are grouped; empty for no chart. */
  by: string;
  /**
   * The view that was opened: `<id>.<revision>`, and its parameters follow it in the URL. An id
   * alone names a view that is to be opened. Empty for none.
   */
  view: string;
}

/** Members that change how a page is shown, not which users are on it. */
const DISPLAY: readonly string[] = ['columns', 'by', 'view'];

export type ChangeList = (
  change: Partial<ListParameters>,
  options?: { cursor?: string | undefined; replace?: boolean },
) => void;

/** The history state of a list: the starts of its pages, by page number. */
interface ListState {
  cursors?: Record<number, string>;
}

/**
 * Reads the parameters from the URL and returns a function that changes them and resets the page.
 * `cursor` is the start of the page; a page that was opened by its URL has none.
 */
export function useListParameters(): { parameters: ListParameters; cursor: string | undefined; change: ChangeList } {
  const [searchParams, setSearchParams] = useSearchParams();
  const { cursors = {} } = useHistoryState<ListState | null>() ?? {};
  const parameters = readList(searchParams);
  const change: ChangeList = (part, options) => {
    const isDisplay = Object.keys(part).length > 0 && Object.keys(part).every((name) => DISPLAY.includes(name));
    const next: ListParameters = { ...parameters, page: isDisplay ? parameters.page : 1, ...part };
    const isSameView = isDisplay || Object.keys(part).every((name) => name === 'page');
    setSearchParams(writeList(next), {
      replace: options?.replace ?? (part.q !== undefined || isDisplay),
      state: isSameView ? { cursors: kept(cursors, next.page, options?.cursor) } : {},
    });
  };
  return { parameters, cursor: cursors[parameters.page], change };
}

/** Whether a search or a condition is active. */
export function isFiltered({ q, where }: UserFilter): boolean {
  return q !== '' || where.length > 0;
}

/** Whether the list is in the order of creation, newest first. */
export function isNewestFirst({ q, sort, order }: ListParameters): boolean {
  return sort === '' ? q === '' : sort === 'createdAt' && order === 'desc';
}

/** `sort` and `order` of a request. */
export function orderOf({ sort, order }: Pick<ListParameters, 'sort' | 'order'>): {
  sort?: string;
  order?: 'asc' | 'desc';
} {
  return sort === '' ? {} : { sort, order };
}

/** Reads the parameters of a list. */
export function readList(searchParams: URLSearchParams): ListParameters {
  const size = Number(searchParams.get('size'));
  return {
    page: Math.max(1, Math.floor(Number(searchParams.get('page'))) || 1),
    size: PAGE_SIZES.find((known) => known === size) ?? DEFAULT_SIZE,
    q: searchParams.get('q') ?? '',
    where: [...new Set(searchParams.getAll('where'))],
    sort: searchParams.get('sort') ?? '',
    order: searchParams.get('order') === 'asc' ? 'asc' : 'desc',
    columns: (searchParams.get('columns') ?? '').split(',').filter((id) => id !== ''),
    by: searchParams.get('by') ?? '',
    view: searchParams.get('view') ?? '',
  };
}

/** The parameters of the URL of a list. */
export function writeList({ page, size, q, where, columns, by, view, ...order }: ListParameters): string[][] {
  return [
    ...(view === '' ? [] : [['view', view]]),
    ...(q === '' ? [] : [['q', q]]),
    ...where.map((condition) => ['where', condition]),
    ...Object.entries(orderOf(order)),
    ...(size === DEFAULT_SIZE ? [] : [['size', String(size)]]),
    ...(columns.length === 0 ? [] : [['columns', columns.join(',')]]),
    ...(by === '' ? [] : [['by', by]]),
    ...(page === 1 ? [] : [['page', String(page)]]),
  ];
}

function kept(cursors: Record<number, string>, page: number, cursor: string | undefined): Record<number, string> {
  const all = cursor === undefined ? cursors : { ...cursors, [page]: cursor };
  return Object.fromEntries(Object.entries(all).filter(([of]) => Math.abs(Number(of) - page) <= MAX_CURSORS));
}
