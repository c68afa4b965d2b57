import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { callForFile } from '../../api/call.ts';
import { DownloadIcon } from '../../components/icons.tsx';
import { saveFile } from '../../components/save-file.ts';
import { t } from '../../texts/texts.ts';
import type { UserColumns } from '../columns.tsx';
import { type Scope, scopeParameter } from '../scope.ts';
import { type FileFormat, FormatMenu } from './format-menu.tsx';

interface ExportSelectedProps {
  scope: Scope;
  ids: readonly string[];
  columns: UserColumns;
}

/** Saves the selected users as a file. */
export function ExportSelected({ scope, ids, columns }: ExportSelectedProps) {
  const users = t.users.selection.selected(ids.length);
  const download = useMutation({
    mutationFn: async (format: FileFormat) => {
      const body = { ids: [...ids], ...format };
      const { name, content } = await callForFile('POST /auth/users/export', { query: scopeParameter(scope), body });
      saveFile(name, content);
    },
    onSuccess: () => notifications.show({ title: t.users.export.saved, message: t.users.export.savedNote(users) }),
    onError: (error) => notifications.show({ color: 'red', title: t.users.export.failed, message: error.message }),
  });
  return (
    <FormatMenu
      button={{
        variant: 'subtle',
        size: 'compact-sm',
        leftSection: <DownloadIcon size={14} />,
        loading: download.isPending,
        children: t.users.export.selected,
      }}
      users={users}
      columns={columns}
      onChoose={download.mutate}
    />
  );
}
