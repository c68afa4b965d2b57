import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import type { Session } from '../session/session.ts';
import { t } from '../texts/texts.ts';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title={t.shell.notFound} />
      <EmptyState title={t.shell.noSuchPage} action={<StartButton />}>
        {t.shell.noSuchPageNote}
      </EmptyState>
    </>
  );
}

/** Shown to an operator for each page of another app, whether or not that app exists. */
export function OtherAppPage({ sourceAppId, session }: { sourceAppId: string; session: Session }) {
  return (
    <>
      <PageHeader title={t.shell.otherApp} />
      <EmptyState title={t.shell.belongsToOtherApp} action={<StartButton />}>
        {session.account ? t.shell.askToBeInvited(sourceAppId, session.account.email) : t.shell.logInAs(sourceAppId)}
      </EmptyState>
    </>
  );
}

interface AppNotFoundProps {
  sourceAppId: string;
  path: string;
  /** The label of the link to `path`. */
  action: string;
}

export function AppNotFound({ sourceAppId, path, action }: AppNotFoundProps) {
  const link = (
    <Button component={Link} href={path}>
      {action}
    </Button>
  );
  return (
    <>
      <PageHeader title={t.shell.appNotFound} />
      <EmptyState title={t.shell.noAppHasId(sourceAppId)} action={link}>
        {t.shell.mayBeDeleted}
      </EmptyState>
    </>
  );
}

function StartButton() {
  return (
    <Button component={Link} href="/">
      {t.shell.goToStart}
    </Button>
  );
}
