import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import type { StoredRecord } from '../queries.ts';
import { Outdated, type RecordChange, useRecordChange } from './use-change.ts';

/** A part of a record to remove. */
export interface Removal {
  /** The title of the dialog. */
  title: string;
  change: RecordChange;
}

interface RemovalDialogProps {
  scope: Scope;
  stored: StoredRecord;
  removal: Removal | undefined;
  onClose: () => void;
}

/** Removes an item of a list, or a key that the schema does not have. */
export function RemovalDialog({ scope, stored, removal, onClose }: RemovalDialogProps) {
  const remove = useRecordChange(scope, stored.record.id, t.record.editing.removed, () => close());
  function close(): void {
    onClose();
    remove.reset();
  }
  const { error } = remove;
  // The item has its own time, so it is the same one in a newer state.
  const etag = error instanceof Outdated ? error.stored.etag : stored.etag;
  return (
    <Modal opened={removal !== undefined} onClose={close} title={removal?.title}>
      <Stack>
        <Text>{t.record.editing.removeNote}</Text>
        {error && (
          <Alert color={error instanceof Outdated ? 'yellow' : 'red'} role="alert">
            {error.message}. {error instanceof Outdated && t.record.editing.removeAnyway}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t.common.cancel}
          </Button>
          <Button
            color="red.9"
            loading={remove.isPending}
            onClick={() => removal && remove.mutate({ change: removal.change, etag })}
          >
            {t.common.remove}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
