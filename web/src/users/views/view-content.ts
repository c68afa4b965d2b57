import type { SavedView } from '../../api/endpoints.ts';
import { type ListParameters, orderOf, readList, writeList } from '../list/list-parameters.ts';

/** The parts of a view that a list has. */
export type ViewContent = Pick<SavedView, 'query' | 'columns' | 'sort'>;

/** The content of a view of a list that shows these columns. */
export function contentOf(parameters: ListParameters, columns: readonly string[]): ViewContent {
  const { sort = '', order } = orderOf(parameters);
  const own = { ...parameters, columns: [], sort: '', page: 1, view: '' };
  return {
    query: new URLSearchParams(writeList(own)).toString(),
    columns: [...columns],
    sort: sort === '' ? '' : `${sort}:${order ?? 'asc'}`,
  };
}

/** The parameters of a list that shows a view, without what the newest schema does not have. */
export function parametersOf(view: SavedView): Partial<ListParameters> {
  const { query, columns, sort, missing } = view;
  const isMissing = (part: SavedView['missing'][number]['part'], value: string): boolean =>
    missing.some((one) => one.part === part && one.value === value);
  const { q, where, by, size } = readList(new URLSearchParams(query));
  const [, path = '', direction] = /^(.*?)(?::(asc|desc))?$/.exec(isMissing('sort', sort) ? '' : sort) ?? [];
  return {
    q,
    by,
    size,
    view: markOf(view),
    page: 1,
    sort: path,
    order: direction === 'desc' ? 'desc' : 'asc',
    where: where.filter((condition) => !isMissing('where', condition)),
    columns: columns.filter((column) => !isMissing('columns', column)),
  };
}

/** Whether the list shows exactly what the view contains. The order of columns is fixed. */
export function isUnchanged(view: SavedView, content: ViewContent): boolean {
  const { query } = contentOf(readList(new URLSearchParams(view.query)), []);
  const sorted = (columns: readonly string[]): string => columns.toSorted().join();
  const hasColumns = view.columns.length === 0 || sorted(view.columns) === sorted(content.columns);
  return query === content.query && view.sort === content.sort && hasColumns;
}

/** Names a view in the state in which it was opened. */
export const markOf = ({ id, revision }: Pick<SavedView, 'id' | 'revision'>): string => `${id}.${revision}`;

/** The id and the revision of the view that a list names; no revision: it is to be opened. */
export function openedView({ view }: Pick<ListParameters, 'view'>): { id: string; revision: string | undefined } {
  const [id = '', revision] = view.split('.', 2);
  return { id, revision };
}
