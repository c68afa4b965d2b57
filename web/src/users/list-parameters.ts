import { useSearchParams } from 'wouter';

export const PAGE_SIZES = [25, 50, 100, 200] as const;

/** What of the users is shown. It is kept in the address, so that a view can be bookmarked, shared and gone back to. */
export interface ListParameters {
  /** From 1. */
  page: number;
  size: number;
  search: string;
  /** `createdAt`, `updatedAt`, `email` or `data.<key>`. */
  sort: string;
  order: 'asc' | 'desc';
  /** Only users whose field has this value; no filter where `value` is empty. */
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

/** The parameters of the address, and how to change some of them; whatever changes, one begins at the first page again. */
export function useListParameters(): [ListParameters, (change: Partial<ListParameters>) => void] {
  const [address, setAddress] = useSearchParams();
  const parameters = read(address);
  const change = (part: Partial<ListParameters>): void => {
    const next: ListParameters = { ...parameters, page: 1, ...part };
    setAddress(
      Object.entries(next)
        .filter(([name, value]) => value !== DEFAULTS[name as keyof ListParameters])
        .map(([name, value]) => [name, String(value)]),
      { replace: part.search !== undefined || part.value !== undefined },
    );
  };
  return [parameters, change];
}

/** Whether the list is a part of all users. */
export function isFiltered({ search, value }: ListParameters): boolean {
  return search !== '' || value !== '';
}

function read(address: URLSearchParams): ListParameters {
  const text = (name: keyof ListParameters): string => address.get(name) ?? String(DEFAULTS[name]);
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
