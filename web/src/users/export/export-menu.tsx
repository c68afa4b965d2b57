import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { buildUrl, callForFile } from '../../api/call.ts';
import { useDownload } from '../../components/content/download-menu.tsx';
import { saveFile } from '../../components/content/save-file.ts';
import { DownloadIcon } from '../../components/icons.tsx';
import { t } from '../../texts/texts.ts';
import type { UserColumns } from '../columns.tsx';
import { isFiltered, type UserFilter } from '../list/list-parameters.ts';
import { countWords, type UserCount } from '../list/use-user-count.ts';
import { scopedSchemaQuery } from '../queries.ts';
import { type Scope, scopeParameter } from '../scope.ts';
import { type FileFormat, FormatMenu } from './format-menu.tsx';

interface ExportMenuProps {
  scope: Scope;
  filter: UserFilter;
  count: UserCount | undefined;
  columns: UserColumns;
}

/** Downloads all users that match the search and the filters. The browser streams the file. */
export function ExportMenu({ scope, filter, count, columns }: ExportMenuProps) {
  const hasFiles = useHasFiles(scope);
  const users = count ? countWords(count, isFiltered(filter)) : t.users.export.users;
  const { q, where } = filter;
  const download = useDownload(() =>
    notifications.show({ title: t.users.export.started, message: t.users.export.startedNote(users) }),
  );
  const choose = (format: FileFormat): void =>
    download.mutate(buildUrl('/auth/users/export', {}, { ...format, ...scopeParameter(scope), q, where }));
  return (
    <FormatMenu
      button={{
        variant: 'default',
        leftSection: <DownloadIcon size={16} />,
        disabled: count?.total === 0,
        children: t.components.export,
      }}
      users={users}
      columns={columns}
      hasFiles={hasFiles}
      onChoose={choose}
    />
  );
}

interface ExportSelectedProps {
  scope: Scope;
  ids: readonly string[];
  columns: UserColumns;
}

/** Saves the selected users as a file. */
export function ExportSelected({ scope, ids, columns }: ExportSelectedProps) {
  const hasFiles = useHasFiles(scope);
  const users = t.users.selection.selected(ids.length);
  const download = useMutation({
    mutationFn: async (format: FileFormat) => {
      const body = { ids: [...ids], ...format };
      const { name, content } = await callForFile('POST /auth/users/export', { query: scopeParameter(scope), body });
      saveFile(name, content);
    },
    onSuccess: () => notifications.show({ title: t.users.export.saved, message: t.users.export.savedNote(users) }),
    onError: (error) => notifications.show({ color: 'red', title: t.components.exportFailed, message: error.message }),
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
      hasFiles={hasFiles}
      onChoose={download.mutate}
    />
  );
}

function useHasFiles(scope: Scope): boolean {
  const { data } = useQuery(scopedSchemaQuery(scope));
  return data?.fields.some(({ kind }) => kind === 'file') ?? false;
}
