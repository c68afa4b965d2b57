import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callWithEtag, hasStatus } from '../../api/call.ts';
import { t } from '../../texts/texts.ts';
import { type Scope, scopeParameter } from '../../users/scope.ts';
import { showUndo } from '../history/undo-notice.tsx';
import { readRecord, type StoredRecord, showStored } from '../queries.ts';

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
export function useRecordChange(scope: Scope, id: string, done: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ change, etag }: { change: RecordChange; etag: string }): Promise<StoredRecord> => {
      try {
        const saved = await callWithEtag('PATCH /auth/users/:id', {
          params: { id },
          query: scopeParameter(scope),
          headers: { 'If-Match': etag },
          body: change,
        });
        return { record: saved.body, etag: saved.etag };
      } catch (error) {
        if (hasStatus(error, 412)) throw new Outdated(await readRecord(scope, id));
        throw error;
      }
    },
    onSuccess: (stored) => {
      showStored(client, stored);
      showUndo(client, scope, stored, done);
    },
  });
}
