import { Button, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Form } from '../../components/form/form.tsx';
import { inputProps } from '../../components/form/input.ts';
import { Pager, pageRange } from '../../components/table/pager.tsx';
import { numbers } from '../../texts/numbers.ts';
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

/** The pages of the list, also by their number. */
export function UserPager({ parameters: { page, size }, list, count, lastPage, change }: UserPagerProps) {
  const shown = list.users?.length ?? 0;
  if (page === 1 && shown === 0) return null;
  return (
    <Pager
      page={page}
      size={size}
      sizes={PAGE_SIZES}
      // While the page loads, the rows of the page before it are shown.
      range={list.isStale ? '' : rangeWords(pageRange(page, size, shown), count)}
      isLast={list.next === undefined || list.isStale}
      onChange={(part) => change(part, { cursor: part.page === page + 1 ? list.next : undefined })}
    >
      {lastPage > 1 && <PageJump page={page} lastPage={lastPage} onJump={(to) => change({ page: to })} />}
    </Pager>
  );
}

/** The range of a page, for example `51–100 of 2,442`. */
function rangeWords(range: string, count: UserCount | undefined): string {
  if (!count || count.is === 'atLeast') return range;
  return count.is === 'moreThan' ? t.users.pages.ofMoreThan(range, count.total) : t.users.pages.of(range, count.total);
}

function PageJump({ page, lastPage, onJump }: { page: number; lastPage: number; onJump: (page: number) => void }) {
  const [typed, setTyped] = useState(String(page));
  useEffect(() => setTyped(String(page)), [page]);
  const submit = (): void => {
    const wanted = Math.min(lastPage, Math.max(1, Math.floor(numbers.read(typed) ?? 1)));
    setTyped(String(wanted));
    if (wanted !== page) onJump(wanted);
  };
  return (
    <Form className={classes.jump} onSubmit={submit}>
      <TextInput aria-label={t.users.pages.number} size="xs" inputMode="numeric" {...inputProps(typed, setTyped)} />
      <Button type="submit" variant="default" size="xs">
        {t.users.pages.go}
      </Button>
    </Form>
  );
}
