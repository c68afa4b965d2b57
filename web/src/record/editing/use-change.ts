import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, callWithHeaders } from '../../api/call.ts';
import { t } from '../../texts/texts.ts';
import { type Scope, scopeParameter } from '../../users/scope.ts';
import { historyKey } from '../history/queries.ts';
import { showUndo } from '../history/undo-notice.tsx';
import { readRecord, recordKey, type StoredRecord } from '../queries.ts';

/** A change of a record. */
export interface RecordChange {
  set?: Record<string, unknown>;
  unset?: string[];
  removeItems?: { key: string; timestamp: string }[];
}

/** The record was changed meanwhile to `stored`. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
  readonly stored: StoredRecord;
  constructor(stored: StoredRecord) {
    super(t.record.editing.changedMeanwhile);
    this.stored = stored;
  }
}

/** Changes a record in the state `etag`; in another one the error is `Outdated`. */
export function useRecordChange(scope: Scope, id: string, done: string, onSaved: (stored: StoredRecord) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ change, etag }: { change: RecordChange; etag: string }): Promise<StoredRecord> => {
      try {
        const { body, headers } = await callWithHeaders('PATCH /auth/users/:id', {
          params: { id },
          query: scopeParameter(scope),
          headers: { 'If-Match': etag },
          body: change,
        });
        return { record: body, etag: headers.get('ETag') ?? '' };
      } catch (error) {
        if (error instanceof ApiError && error.status === 412) throw new Outdated(await readRecord(scope, id));
        throw error;
      }
    },
    onSuccess: (stored) => {
      client.setQueryData(recordKey(id), stored);
      void client.invalidateQueries({ queryKey: ['users'] });
      void client.invalidateQueries({ queryKey: historyKey(id) });
      showUndo(client, scope, stored, done);
      onSaved(stored);
    },
  });
}
