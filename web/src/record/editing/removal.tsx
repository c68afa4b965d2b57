import { Alert, Text } from '@mantine/core';
import { ConfirmDialog } from '../../components/form/confirm-dialog.tsx';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import type { StoredRecord } from '../queries.ts';
import { Outdated, type RecordChange, useRecordChange } from './use-change.ts';

/** A part of a record to remove. */
export interface Removal {
  /** The title of the dialog. */
  title: string;
  /** What removes it from a state of the record. */
  changeOf(data: Readonly<Record<string, unknown>>): RecordChange;
}

interface RemovalDialogProps {
  scope: Scope;
  stored: StoredRecord;
  removal: Removal | undefined;
  onClose: () => void;
}

/** Removes an item of a list, a file, or a key that the schema does not have. */
export function RemovalDialog({ scope, stored, removal, onClose }: RemovalDialogProps) {
  const remove = useRecordChange(scope, stored.record.id, t.record.editing.removed);
  const close = (): void => {
    onClose();
    remove.reset();
  };
  const { error } = remove;
  // The part is the same one in a newer state: an item by its time, a file by its id.
  const { etag, record } = error instanceof Outdated ? error.stored : stored;
  return (
    <ConfirmDialog
      opened={removal !== undefined}
      title={removal?.title ?? ''}
      action={t.common.remove}
      isDangerous
      sending={{ isPending: remove.isPending, error: null }}
      onConfirm={() => removal && remove.mutate({ change: removal.changeOf(record.data), etag }, { onSuccess: close })}
      onClose={close}
    >
      <Text>{t.record.editing.removeNote}</Text>
      {error && (
        <Alert color={error instanceof Outdated ? 'yellow' : 'red'} role="alert">
          {error.message}. {error instanceof Outdated && t.record.editing.removeAnyway}
        </Alert>
      )}
    </ConfirmDialog>
  );
}
