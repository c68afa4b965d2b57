import { useSearchParams } from 'wouter';
import { type ChangeList, type ListParameters, readList, writeList } from '../users/list/list-parameters.ts';

/** Which messages a list has. */
export type Folder = 'open' | 'done' | 'all';

/** The values of the parameter `done` in the URL. The open messages need none. */
const URL_VALUES = { open: undefined, done: 'true', all: 'all' } as const satisfies Record<Folder, string | undefined>;
/** The values of the parameter `done` of a request. */
const REQUEST_VALUES = { open: 'false', done: 'true', all: undefined } as const;

export const FOLDERS = Object.keys(URL_VALUES) as Folder[];

/** The parameter of a request for the messages of a folder. */
export const folderParameter = (folder: Folder) => {
  const done = REQUEST_VALUES[folder];
  return done && { done };
};

/** The parameters of the inbox, which the URL stores: the folder and the conditions. */
export function useInboxParameters(): {
  parameters: ListParameters;
  folder: Folder;
  change: ChangeList;
  /** The query of the URL, with its `?`, for these conditions in another folder. */
  searchIn: (folder: Folder) => string;
} {
  const [searchParams, setSearchParams] = useSearchParams();
  const parameters = readList(searchParams);
  const folder = FOLDERS.find((one) => URL_VALUES[one] === searchParams.get('done')) ?? 'open';
  const change: ChangeList = (part, { replace = part.q !== undefined } = {}) =>
    setSearchParams(write({ ...parameters, page: 1, ...part }, folder), { replace, state: {} });
  const searchIn = (other: Folder): string => {
    const search = String(new URLSearchParams(write({ ...parameters, page: 1 }, other)));
    return search && `?${search}`;
  };
  return { parameters, folder, change, searchIn };
}

function write(parameters: ListParameters, folder: Folder): string[][] {
  const done = URL_VALUES[folder];
  return [...writeList(parameters), ...(done === undefined ? [] : [['done', done]])];
}
