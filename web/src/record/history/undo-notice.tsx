import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { t } from '../../texts/texts.ts';
import { type Scope, scopeParameter } from '../../users/scope.ts';
import { revertChange, type StoredRecord, showStored } from '../queries.ts';

/** How long a notice with a button stays. */
const NOTICE_MS = 12_000;

export function showDone(): void {
  notifications.show({ color: 'green', title: t.record.history.undone, message: t.record.history.undoneNote });
}

/** Tells of a stored change, with a button that undoes it. */
export function showUndo(client: QueryClient, scope: Scope, { record }: StoredRecord, title: string): void {
  const id = notifications.show({
    color: 'green',
    title,
    message: <Undo email={record.email} undo={() => undo().finally(() => notifications.hide(id))} />,
    autoClose: NOTICE_MS,
  });

  async function undo(): Promise<void> {
    try {
      const request = { params: { id: record.id }, query: scopeParameter(scope) };
      const { entries } = await call('GET /auth/users/:id/history', request);
      const revision = entries.find(({ at }) => at === record.updatedAt)?.revision;
      if (revision === undefined) throw new Error(t.record.history.tooManyFollowed);
      showStored(client, await revertChange(scope, record.id, revision));
      showDone();
    } catch (error) {
      notifications.show({ color: 'red', title: t.record.history.notUndone, message: (error as Error).message });
    }
  }
}

function Undo({ email, undo }: { email: string; undo: () => Promise<void> }) {
  const [isPending, setPending] = useState(false);
  return (
    <Group gap="sm">
      <span>{t.record.history.changeStored(email)}</span>
      <Button
        variant="default"
        size="compact-sm"
        loading={isPending}
        onClick={() => {
          setPending(true);
          void undo();
        }}
      >
        {t.common.undo}
      </Button>
    </Group>
  );
}
