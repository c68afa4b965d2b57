import { Button, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { buildUrl, call } from '../api/call.ts';
import { DownloadIcon } from '../components/icons.tsx';
import type { UserColumns } from './columns.tsx';
import { isFiltered, type UserFilter } from './list/list-parameters.ts';
import { countWords, type UserCount } from './list/use-user-count.ts';
import { type Scope, scopeParameter } from './scope.ts';

interface ExportMenuProps {
  scope: Scope;
  filter: UserFilter;
  count: UserCount | undefined;
  columns: UserColumns;
}

interface CsvOptions {
  onlyShown: boolean;
  labels: boolean;
}

/**
 * Downloads all users that match the search and the filters. The browser streams the file to disk.
 */
export function ExportMenu({ scope, filter, count, columns }: ExportMenuProps) {
  const [options, setOptions] = useLocalStorage<CsvOptions>({
    key: 'export options',
    defaultValue: { onlyShown: false, labels: false },
  });
  const csv = {
    format: 'csv',
    columns: options.onlyShown ? columns.shown.join(',') : undefined,
    headers: options.labels ? 'labels' : undefined,
  };
  const users = count ? countWords(count, isFiltered(filter)) : 'Users';
  const download = useMutation({
    // Checks the session first: a rejected download would be saved as a file with an error message.
    mutationFn: async (parameters: object) => {
      await call('GET /auth/session');
      const { q, where } = filter;
      save(buildUrl('/auth/users/export', {}, { ...parameters, ...scopeParameter(scope), q, where }));
    },
    onSuccess: () => notifications.show({ title: 'Export started', message: `Your browser is downloading: ${users}` }),
    onError: (error) => notifications.show({ color: 'red', title: 'Export failed', message: error.message }),
  });
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<DownloadIcon size={16} />} disabled={count?.total === 0}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{users}</Menu.Label>
        <Menu.Item onClick={() => download.mutate({ ...csv, bom: 'true' })}>CSV for spreadsheets</Menu.Item>
        <Menu.Item onClick={() => download.mutate(csv)}>CSV for programs</Menu.Item>
        <Menu.Item onClick={() => download.mutate({ format: 'json' })}>JSON (one array)</Menu.Item>
        <Menu.Item onClick={() => download.mutate({ format: 'ndjson' })}>NDJSON (one user per line)</Menu.Item>
        <Menu.Divider />
        <Menu.Label>Options for CSV</Menu.Label>
        <Menu.CheckboxItem
          checked={options.onlyShown}
          closeMenuOnClick={false}
          onChange={(onlyShown) => setOptions((before) => ({ ...before, onlyShown }))}
        >
          Only the columns of the table
        </Menu.CheckboxItem>
        <Menu.CheckboxItem
          checked={options.labels}
          closeMenuOnClick={false}
          onChange={(labels) => setOptions((before) => ({ ...before, labels }))}
        >
          Labels as headers
        </Menu.CheckboxItem>
      </Menu.Dropdown>
    </Menu>
  );
}

function save(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}
