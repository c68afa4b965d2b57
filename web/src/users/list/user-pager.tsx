import { Button, NativeSelect, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Form } from '../../components/form.tsx';
import { LeftIcon, RightIcon } from '../../components/icons.tsx';
import { formatNumber } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import classes from './list.module.css';
import { type ChangeList, type ListParameters, PAGE_SIZES } from './list-parameters.ts';
import type { UserCount } from './use-user-count.ts';
import type { UserList } from './use-user-list.ts';

interface UserPagerProps {
  parameters: ListParameters;
  list: UserList;
  count: UserCount | undefined;
  /** The last page that can be opened by its number. */
  lastPage: number;
  change: ChangeList;
}

/** The range of the current page, the page size, a page number, and the adjacent pages. */
export function UserPager({ parameters: { page, size }, list, count, lastPage, change }: UserPagerProps) {
  const shown = list.users?.length ?? 0;
  if (page === 1 && shown === 0) return null;
  // While the page loads, the rows of the page before it are shown.
  const range = list.isStale ? '' : rangeWords(page, size, shown, count);
  return (
    <nav className={classes.pager} aria-label={t.users.pages.title}>
      <Text c="dimmed" aria-live="polite">
        {range}
      </Text>
      <div className={classes.controls}>
        <NativeSelect
          aria-label={t.users.pages.size}
          size="xs"
          value={String(size)}
          data={PAGE_SIZES.map((value) => ({ value: String(value), label: t.users.pages.rows(value) }))}
          onChange={(event) => change({ size: Number(event.currentTarget.value) as ListParameters['size'] })}
        />
        {lastPage > 1 && <PageJump page={page} lastPage={lastPage} onJump={(to) => change({ page: to })} />}
        <Button
          variant="default"
          size="xs"
          disabled={page === 1}
          leftSection={<LeftIcon size={14} />}
          onClick={() => change({ page: page - 1 })}
        >
          {t.users.pages.previous}
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={list.next === undefined || list.isStale}
          rightSection={<RightIcon size={14} />}
          onClick={() => change({ page: page + 1 }, { cursor: list.next })}
        >
          {t.common.next}
        </Button>
      </div>
    </nav>
  );
}

/** The range of a page, for example `51–100 of 2,442`. */
function rangeWords(page: number, size: number, shown: number, count: UserCount | undefined): string {
  const first = (page - 1) * size + 1;
  const range = shown === 0 ? '0' : `${formatNumber(first)}–${formatNumber(first + shown - 1)}`;
  if (!count || count.is === 'atLeast') return range;
  return count.is === 'moreThan' ? t.users.pages.ofMoreThan(range, count.total) : t.users.pages.of(range, count.total);
}

function PageJump({ page, lastPage, onJump }: { page: number; lastPage: number; onJump: (page: number) => void }) {
  const [typed, setTyped] = useState(String(page));
  useEffect(() => setTyped(String(page)), [page]);
  const submit = (): void => {
    const wanted = Math.min(lastPage, Math.max(1, Math.floor(Number(typed)) || 1));
    setTyped(String(wanted));
    if (wanted !== page) onJump(wanted);
  };
  return (
    <Form className={classes.jump} onSubmit={submit}>
      <TextInput
        aria-label={t.users.pages.number}
        size="xs"
        type="number"
        min={1}
        max={lastPage}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" size="xs">
        {t.users.pages.go}
      </Button>
    </Form>
  );
}
