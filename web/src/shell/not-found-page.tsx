import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import type { Session } from '../session/session.ts';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState title="This page does not exist" action={<StartButton />}>
        The link may be outdated, or it may be for administrators.
      </EmptyState>
    </>
  );
}

/** Shown to an operator for each page of another app, whether or not that app exists. */
export function OtherAppPage({ sourceAppId, session }: { sourceAppId: string; session: Session }) {
  return (
    <>
      <PageHeader title="Page of another app" />
      <EmptyState title="This page belongs to another app" action={<StartButton />}>
        {session.account
          ? `To open it, ask a manager of ${sourceAppId} or an administrator to invite ${session.account.email}.`
          : `To open it, log in as ${sourceAppId} or as an administrator.`}
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
      <PageHeader title="App not found" />
      <EmptyState title={`No app has the ID ${sourceAppId}`} action={link}>
        The app may have been deleted.
      </EmptyState>
    </>
  );
}

function StartButton() {
  return (
    <Button component={Link} href="/">
      Go to start page
    </Button>
  );
}
