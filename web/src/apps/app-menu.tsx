import { ActionIcon, Menu } from '@mantine/core';
import { Link } from 'wouter';
import type { AppRecord } from '../api/endpoints.ts';
import {
  HeldIcon,
  KeyIcon,
  LockIcon,
  LogIcon,
  MenuIcon,
  PersonIcon,
  PlugIcon,
  TrashIcon,
  UsersIcon,
  WebhookIcon,
} from '../components/icons.tsx';

/** `users` and `lastSubmissionAt` are undefined until the statistics are loaded. */
export type AppRow = AppRecord & { users: number | undefined; lastSubmissionAt: string | null | undefined };

/** The dialogs of the list of apps. */
export type OpenDialog = { kind: 'create' } | { kind: 'rotate' | 'delete'; app: AppRow };

/** The actions of an administrator on an app. */
export function AppMenu({ app, onOpenDialog }: { app: AppRow; onOpenDialog: (dialog: OpenDialog) => void }) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${app.sourceAppId}`}>
          <MenuIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/users`} leftSection={<UsersIcon size={16} />}>
          View users
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/connect`} leftSection={<PlugIcon size={16} />}>
          Connect a form
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/webhooks`} leftSection={<WebhookIcon size={16} />}>
          Webhooks
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/privacy`} leftSection={<LockIcon size={16} />}>
          Privacy and retention
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/held`} leftSection={<HeldIcon size={16} />}>
          Held submissions
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/keys`} leftSection={<KeyIcon size={16} />}>
          API keys
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/audit`} leftSection={<LogIcon size={16} />}>
          Audit log
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/members`} leftSection={<PersonIcon size={16} />}>
          Members
        </Menu.Item>
        <Menu.Item leftSection={<KeyIcon size={16} />} onClick={() => onOpenDialog({ kind: 'rotate', app })}>
          Rotate password
        </Menu.Item>
        {app.role !== 'admin' && (
          <Menu.Item
            leftSection={<TrashIcon size={16} />}
            c="var(--mantine-color-error)"
            onClick={() => onOpenDialog({ kind: 'delete', app })}
          >
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
