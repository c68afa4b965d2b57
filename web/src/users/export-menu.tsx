import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { addressOf, call } from '../api/call.ts';
import { DownloadIcon } from '../components/icons.tsx';
import { isFiltered, type ListParameters } from './list-parameters.ts';

const FORMATS = [
  { format: 'csv', name: 'CSV', note: 'for spreadsheets' },
  { format: 'json', name: 'JSON', note: 'one array' },
  { format: 'ndjson', name: 'NDJSON', note: 'one record a line' },
] as const;

/** Downloads all that the list shows, not only its page. The browser writes the file as it comes, so any number will do. */
export function ExportMenu({ parameters, total }: { parameters: ListParameters; total: number | undefined }) {
  const { search, field, value } = parameters;
  const download = useMutation({
    // A download that is refused would end as a file with an error in it; so the session is looked at first.
    mutationFn: async (format: string) => {
      await call('GET /auth/session');
      save(addressOf('/auth/users/export', {}, { format, search, ...(value === '' ? {} : { field, value }) }));
    },
    onSuccess: () =>
      notifications.show({ title: 'Export started', message: `${users(total)} — see your browser's downloads.` }),
    onError: (error) => notifications.show({ color: 'red', title: 'Export failed', message: `${error.message}.` }),
  });
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<DownloadIcon size={16} />} disabled={!total}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{isFiltered(parameters) ? `The ${users(total)} found` : `All ${users(total)}`}</Menu.Label>
        {FORMATS.map(({ format, name, note }) => (
          <Menu.Item key={format} onClick={() => download.mutate(format)}>
            {name}, {note}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function users(total = 0): string {
  return total === 1 ? '1 user' : `${total.toLocaleString()} users`;
}

function save(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}
