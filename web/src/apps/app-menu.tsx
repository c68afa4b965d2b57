import { Menu } from '@mantine/core';
import { Link } from 'wouter';
import type { AppRecord } from '../api/endpoints.ts';
import { ActionsMenu } from '../components/actions-menu.tsx';
import {
  HeldIcon,
  KeyIcon,
  LockIcon,
  LogIcon,
  PersonIcon,
  PlugIcon,
  TrashIcon,
  UsersIcon,
  WebhookIcon,
} from '../components/icons.tsx';
import { appPath } from '../users/scope.ts';

/** `users` and `lastSubmissionAt` are undefined until the statistics are loaded. */
export type AppRow = AppRecord & { users: number | undefined; lastSubmissionAt: string | null | undefined };

/** The dialogs of the list of apps. */
export type OpenDialog = { kind: 'create' } | { kind: 'rotate' | 'delete'; app: AppRow };

/** The pages of an app in the menu. Its name in the list links to the schema. */
const PAGES = [
  { path: 'users', name: 'View users', Icon: UsersIcon },
  { path: 'connect', name: 'Connect a form', Icon: PlugIcon },
  { path: 'webhooks', name: 'Webhooks', Icon: WebhookIcon },
  { path: 'privacy', name: 'Privacy and retention', Icon: LockIcon },
  { path: 'held', name: 'Held submissions', Icon: HeldIcon },
  { path: 'keys', name: 'API keys', Icon: KeyIcon },
  { path: 'audit', name: 'Audit log', Icon: LogIcon },
  { path: 'members', name: 'Members', Icon: PersonIcon },
];

/** The actions of an administrator on an app. */
export function AppMenu({ app, onOpenDialog }: { app: AppRow; onOpenDialog: (dialog: OpenDialog) => void }) {
  return (
    <ActionsMenu name={app.sourceAppId}>
      {PAGES.map(({ path, name, Icon }) => (
        <Menu.Item key={path} component={Link} href={appPath(app, path)} leftSection={<Icon size={16} />}>
          {name}
        </Menu.Item>
      ))}
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
    </ActionsMenu>
  );
}
