import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { t } from '../../texts/first-texts.ts';
import { DownloadIcon } from '../icons.tsx';
import { clickLink } from './save-file.ts';

/**
 * Opens the URL of a file as a download, which the browser streams. Checks the session first: a
 * rejected download would be saved as a file with an error message.
 */
export function useDownload(onStarted?: () => void) {
  return useMutation({
    mutationFn: async (url: string) => {
      await call('GET /auth/session');
      clickLink(url);
    },
    onSuccess: () => onStarted?.(),
    onError: (error) => notifications.show({ color: 'red', title: t.components.exportFailed, message: error.message }),
  });
}

interface DownloadMenuProps {
  /** The formats of the file, each with its name and its URL. */
  formats: readonly { name: string; url: string }[];
}

/** The button “Export” of a list, with the formats of its file. */
export function DownloadMenu({ formats }: DownloadMenuProps) {
  const download = useDownload();
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<DownloadIcon size={16} />}>
          {t.components.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map(({ name, url }) => (
          <Menu.Item key={name} onClick={() => download.mutate(url)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
