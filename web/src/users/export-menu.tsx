import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { buildUrl, call } from '../api/call.ts';
import { count } from '../components/count.ts';
import { DownloadIcon } from '../components/icons.tsx';
import { isFiltered, type ListParameters } from './list-parameters.ts';

const FORMATS = [
  { format: 'csv', bom: 'true', label: 'CSV for spreadsheets' },
  { format: 'json', label: 'JSON (one array)' },
  { format: 'ndjson', label: 'NDJSON (one user per line)' },
] as const;

type Format = { format: string; bom?: string };

/**
 * Downloads all users that match the search and the filter. The browser streams the file to disk.
 */
export function ExportMenu({ parameters, total = 0 }: { parameters: ListParameters; total: number | undefined }) {
  const { search, field, value } = parameters;
  const download = useMutation({
    // Checks the session first: a rejected download would be saved as a file with an error message.
    mutationFn: async ({ format, bom }: Format) => {
      await call('GET /auth/session');
      save(buildUrl('/auth/users/export', {}, { format, bom, search, ...(value === '' ? {} : { field, value }) }));
    },
    onSuccess: () =>
      notifications.show({ title: 'Export started', message: `Your browser is downloading ${count(total, 'user')}` }),
    onError: (error) => notifications.show({ color: 'red', title: 'Export failed', message: error.message }),
  });
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<DownloadIcon size={16} />} disabled={total === 0}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{isFiltered(parameters) ? count(total, 'matching user') : allUsers(total)}</Menu.Label>
        {FORMATS.map(({ label, ...format }) => (
          <Menu.Item key={label} onClick={() => download.mutate(format)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function allUsers(total: number): string {
  return total === 1 ? '1 user' : `All ${count(total, 'user')}`;
}

function save(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}
