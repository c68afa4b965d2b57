import { Menu } from '@mantine/core';
import { Link } from 'wouter';
import type { AppRecord } from '../api/endpoints.ts';
import { ActionsMenu } from '../components/form/actions-menu.tsx';
import {
  HeldIcon,
  KeyIcon,
  LockIcon,
  LogIcon,
  PersonIcon,
  ShareIcon,
  TrashIcon,
  UsersIcon,
  WebhookIcon,
} from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
import { appPath } from '../users/scope.ts';

/** `users` and `lastSubmissionAt` are undefined until the statistics are loaded. */
export type AppRow = AppRecord & {
  id: string;
  users: number | undefined;
  lastSubmissionAt: string | null | undefined;
};

/** The dialogs of the list of apps. */
export type OpenDialog = { kind: 'create' } | { kind: 'rotate' | 'delete'; app: AppRow };

/** The pages of an app in the menu. Its name in the list links to its first page. */
const PAGES = [
  { path: 'users', name: t.apps.viewUsers, Icon: UsersIcon },
  { path: 'share', name: t.apps.connectForm, Icon: ShareIcon },
  { path: 'webhooks', name: t.apps.pages.webhooks, Icon: WebhookIcon },
  { path: 'privacy', name: t.apps.privacyAndRetention, Icon: LockIcon },
  { path: 'held', name: t.apps.heldSubmissions, Icon: HeldIcon },
  { path: 'keys', name: t.apps.pages.keys, Icon: KeyIcon },
  { path: 'audit', name: t.apps.pages.audit, Icon: LogIcon },
  { path: 'members', name: t.apps.pages.members, Icon: PersonIcon },
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
        {t.apps.rotatePassword}
      </Menu.Item>
      <Menu.Item
        leftSection={<TrashIcon size={16} />}
        c="var(--mantine-color-error)"
        onClick={() => onOpenDialog({ kind: 'delete', app })}
      >
        {t.common.delete}
      </Menu.Item>
    </ActionsMenu>
  );
}
