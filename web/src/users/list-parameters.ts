import { useSearchParams } from 'wouter';

export const PAGE_SIZES = [25, 50, 100, 200] as const;

/**
 * The view of the user list. It is stored in the URL, so that views can be bookmarked and shared.
 */
export interface ListParameters {
  /** Page number, from 1. */
  page: number;
  size: number;
  search: string;
  /** `createdAt`, `updatedAt`, `email` or `data.<key>`. */
  sort: string;
  order: 'asc' | 'desc';
  /** The key of the field that must equal `value`. No filter when `value` is empty. */
  field: string;
  value: string;
}

const DEFAULTS: ListParameters = {
  page: 1,
  size: 50,
  search: '',
  sort: 'createdAt',
  order: 'desc',
  field: '',
  value: '',
};

/**
 * Reads the parameters from the URL and returns a function that changes some of them. A change
 * resets the page.
 */
export function useListParameters(): [ListParameters, (change: Partial<ListParameters>) => void] {
  const [searchParams, setSearchParams] = useSearchParams();
  const parameters = read(searchParams);
  const change = (part: Partial<ListParameters>): void => {
    const next: ListParameters = { ...parameters, page: 1, ...part };
    setSearchParams(
      Object.entries(next)
        .filter(([name, value]) => value !== DEFAULTS[name as keyof ListParameters])
        .map(([name, value]) => [name, String(value)]),
      { replace: part.search !== undefined || part.value !== undefined },
    );
  };
  return [parameters, change];
}

/** Whether a search or a filter is active. */
export function isFiltered({ search, value }: ListParameters): boolean {
  return search !== '' || value !== '';
}

function read(searchParams: URLSearchParams): ListParameters {
  const text = (name: keyof ListParameters): string => searchParams.get(name) ?? String(DEFAULTS[name]);
  const size = Number(text('size'));
  return {
    page: Math.max(1, Math.floor(Number(text('page'))) || 1),
    size: PAGE_SIZES.find((known) => known === size) ?? DEFAULTS.size,
    search: text('search'),
    sort: text('sort'),
    order: text('order') === 'asc' ? 'asc' : 'desc',
    field: text('field'),
    value: text('value'),
  };
}
