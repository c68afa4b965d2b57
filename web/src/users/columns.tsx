import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, useMemo } from 'react';
import type { Field, Kind, UserRecord } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { Value } from '../components/content/value.tsx';
import { countOf, fieldName } from '../components/form/labels.ts';
import { ownValue } from '../record/editing/draft.ts';
import { t } from '../texts/texts.ts';
import type { ChangeList } from './list/list-parameters.ts';

export interface UserColumn {
  /** The value of the `sort` parameter. */
  id: string;
  header: string;
  /** In pixels; more on a wide screen. */
  width: number;
  isNumber?: boolean;
  cell: (user: UserRecord) => ReactNode;
}

/** Whether columns are shown, by id. One that is absent is shown. */
type Visibility = Readonly<Record<string, boolean>>;

/** The start of the keys under which this browser keeps the columns of an app. */
const STORED_COLUMNS = 'columns of';
const EMAIL_WIDTH = 280;
/** Fits the longest date and time, such as `Nov 28, 2026, 10:16 AM`. */
const TIME_WIDTH = 212;
const FIELD_WIDTHS: Record<Kind, number> = {
  text: 165,
  select: 120,
  multiselect: 190,
  number: 100,
  date: 140,
  checkbox: 120,
  file: 190,
  array: 110,
};

export interface UserColumns {
  all: UserColumn[];
  visibility: Visibility;
  /** The ids of the visible columns. */
  shown: readonly string[];
  setVisible: (id: string, visible: boolean) => void;
}

/** Columns of further fields are hidden by default. */
const DEFAULT_FIELD_COLUMNS = 6;
const NO_FIELDS: Field[] = [];

/**
 * The columns of an app: one per field. The URL names the visible ones, or this browser does.
 * @param hasChanged whether some users were changed, so that the time of it is shown by default
 */
export function useUserColumns(
  sourceAppId: string,
  named: readonly string[],
  change: ChangeList,
  fields: readonly Field[] = NO_FIELDS,
  hasChanged = false,
): UserColumns {
  const [chosen, setChosen] = useLocalStorage<Visibility>({
    key: `${STORED_COLUMNS} ${sourceAppId}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const all = useMemo(() => columnsOf(fields), [fields]);
  const names = named.join(',');
  const visibility = useMemo(
    () =>
      names === '' ? { ...defaultVisibility(fields, hasChanged), ...chosen } : visibilityOf(all, names.split(',')),
    [fields, chosen, all, names, hasChanged],
  );
  const setVisible = (id: string, visible: boolean): void => {
    const next = { ...visibility, [id]: visible };
    setChosen((before) => ({ ...before, [id]: visible }));
    change({ columns: shownIds(all, next) });
  };
  return { all, visibility, shown: shownIds(all, visibility), setVisible };
}

function visibilityOf(all: readonly UserColumn[], shown: readonly string[]): Visibility {
  return Object.fromEntries(all.map(({ id }) => [id, id === 'email' || shown.includes(id)]));
}

function shownIds(all: readonly UserColumn[], visibility: Visibility): string[] {
  return all.filter(({ id }) => visibility[id] !== false).map(({ id }) => id);
}

function columnsOf(fields: readonly Field[]): UserColumn[] {
  const times = [
    ['createdAt', t.common.created],
    ['updatedAt', t.common.updated],
  ] as const;
  return [
    { id: 'email', header: t.common.email, width: EMAIL_WIDTH, cell: ({ email }) => email },
    ...fields.map(
      (field): UserColumn => ({
        id: `data.${field.key}`,
        header: fieldName(field),
        width: FIELD_WIDTHS[field.kind],
        isNumber: field.kind === 'number',
        cell: ({ data }) => <Value value={countOf(field, ownValue(data, field.key))} />,
      }),
    ),
    ...times.map(
      ([id, header]): UserColumn => ({
        id,
        header,
        width: TIME_WIDTH,
        cell: (user) => <Time at={user[id]} relative />,
      }),
    ),
  ];
}

function defaultVisibility(fields: readonly Field[], hasChanged: boolean): Visibility {
  const hidden = fields.slice(DEFAULT_FIELD_COLUMNS).map((field) => [`data.${field.key}`, false]);
  return { ...Object.fromEntries(hidden), updatedAt: hasChanged };
}
