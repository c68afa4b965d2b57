import { Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { invalidate } from '../api/mutations.ts';
import { TypedConfirmation } from '../components/form/confirm-dialog.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { t } from '../texts/texts.ts';
import type { EraseMatchingProps } from './erase-matching.tsx';
import { Counting, countMatches, matchesOf } from './matches.tsx';
import { scopeParameter } from './scope.ts';
import classes from './users-page.module.css';

/** Erases all users that match, after the operator typed their number. */
export function EraseDialog({ scope, filter: { q, where }, onClose }: EraseMatchingProps & { onClose: () => void }) {
  const client = useQueryClient();
  const query = { ...scopeParameter(scope), q, where };
  const matches = useQuery({
    queryKey: ['erasable', query],
    queryFn: ({ signal }) => countMatches(query, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const total = matches.data ?? 0;
  const [sending] = useState(() => new AbortController());
  const erase = useMutation({
    mutationFn: () => call('DELETE /auth/users', { query: { ...query, confirm: total }, signal: sending.signal }),
    onSuccess: async ({ deletedUsers }) => {
      onClose();
      notifications.show({ title: t.users.erasure.erased, message: t.users.erasure.erasedNote(deletedUsers) });
      await invalidate(client, 'users', 'stats');
    },
    onError: (error) => {
      const now = matchesOf(error);
      if (now !== undefined) client.setQueryData(['erasable', query], now);
    },
  });
  /** The service stops when the request ends. Its part stays done, so the list is read again. */
  const close = (): void => {
    onClose();
    if (!erase.isPending) return;
    sending.abort();
    notifications.show({ title: t.users.erasure.stopped, message: t.users.erasure.stoppedNote });
    void invalidate(client, 'users', 'stats');
  };
  if (matches.data === undefined || total === 0) {
    return (
      <Modal opened onClose={onClose} title={t.users.erasure.title}>
        {matches.error && <LoadError error={matches.error} onRetry={matches.refetch} />}
        {matches.isFetching && <Counting />}
        {matches.data === 0 && <Text>{t.users.noMatchLeft}</Text>}
      </Modal>
    );
  }
  return (
    <TypedConfirmation
      opened
      title={t.users.erasure.title}
      label={t.users.erasure.number}
      expected={String(total)}
      normalize={digitsOf}
      action={t.users.erasure.action(total)}
      sending={erase}
      onConfirm={() => erase.mutate()}
      onClose={close}
    >
      <Text>{t.users.erasure.note(total)}</Text>
      {erase.isPending && <Erasing total={total} />}
    </TypedConfirmation>
  );
}

/** One request erases all, so the bar shows no part. */
function Erasing({ total }: { total: number }) {
  return (
    <Stack gap="xs">
      <Text role="status">
        {t.users.erasure.erasing(total)} {t.users.erasure.erasingNext}
      </Text>
      <progress className={classes.bar} aria-label={t.users.erasure.bar} />
    </Stack>
  );
}

/** A number may be typed with or without the separators that its button shows. */
function digitsOf(typed: string): string {
  return typed.replace(/[\s.,'’]/g, '');
}
