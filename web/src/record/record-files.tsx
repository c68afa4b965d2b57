import { Button, FileButton, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { sendFile } from '../api/call.ts';
import type { Field } from '../api/endpoints.ts';
import { FileList, type FileValue, filesOf } from '../components/content/file-list.tsx';
import { Value } from '../components/content/value.tsx';
import { fieldName } from '../components/form/labels.ts';
import { t } from '../texts/texts.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';
import { ownValue } from './editing/draft.ts';
import type { Removal } from './editing/removal.tsx';
import { readRecord, type StoredRecord, showStored } from './queries.ts';

interface RecordFilesProps {
  scope: Scope;
  stored: StoredRecord;
  field: Field;
  /** Absent: the files are only shown. */
  onRemove: ((removal: Removal) => void) | undefined;
}

/** The files of a field of a record. Who may edit the record adds and removes some. */
export function RecordFiles({ scope, stored, field, onRemove }: RecordFilesProps) {
  const { id, data } = stored.record;
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: async (file: File) => {
      const query = { field: field.key, name: file.name, ...scopeParameter(scope) };
      await sendFile('POST /auth/users/:id/files', { params: { id }, query }, file);
      return readRecord(scope, id);
    },
    onSuccess: (changed, { name }) => {
      showStored(client, changed);
      notifications.show({ message: t.record.fileAdded(name) });
    },
    onError: (error) => notifications.show({ color: 'red', title: t.record.fileRefused, message: error.message }),
  });
  const files = filesOf(field, ownValue(data, field.key)) ?? [];
  const most = field.kind === 'file' ? (field.maxFiles ?? 1) : 0;
  const removal = ({ id: removed, name }: FileValue): Removal => ({
    title: t.record.removeFile(name),
    changeOf: (newest) => {
      const left = (filesOf(field, ownValue(newest, field.key)) ?? []).filter((one) => one.id !== removed);
      return left.length > 0 ? { set: { [field.key]: left } } : { unset: [field.key] };
    },
  });
  return (
    <>
      {files.length === 0 && <Value value={undefined} />}
      <FileList
        scope={scope}
        files={files}
        {...(onRemove && {
          action: (file: FileValue) => (
            <Button
              variant="subtle"
              size="compact-xs"
              c="var(--mantine-color-error)"
              aria-label={t.record.removeFile(file.name)}
              onClick={() => onRemove(removal(file))}
            >
              {t.common.remove}
            </Button>
          ),
        })}
      />
      {onRemove && files.length < most && (
        <Group mt="xs">
          <FileButton onChange={(file) => file && add.mutate(file)}>
            {(button) => (
              <Button {...button} variant="default" size="xs" loading={add.isPending}>
                {t.record.addFile(fieldName(field))}
              </Button>
            )}
          </FileButton>
        </Group>
      )}
    </>
  );
}
