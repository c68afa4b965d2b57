import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { showUndoNotice } from '../../components/content/undo-notice.tsx';
import { t } from '../../texts/texts.ts';
import { type Scope, scopeParameter } from '../../users/scope.ts';
import { revertChange, type StoredRecord, showStored } from '../queries.ts';

export function showDone(): void {
  notifications.show({ color: 'green', title: t.record.history.undone, message: t.record.history.undoneNote });
}

/** Tells of a stored change, with a button that undoes it. */
export function showUndo(client: QueryClient, scope: Scope, { record }: StoredRecord, title: string): void {
  showUndoNotice({ title, text: t.record.history.changeStored(record.email), undo });

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
