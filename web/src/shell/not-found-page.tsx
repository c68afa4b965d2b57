import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../components/page/empty-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import type { Session } from '../session/session.ts';
import { t } from '../texts/texts.ts';

interface NotFoundProps {
  /** The title of the page. */
  heading: string;
  title: string;
  note: string;
  /** Where to go on; default: the start page. */
  path?: string;
  /** The label of the link to `path`. */
  action?: string;
}

/** A page without what its address names. */
export function NotFound({ heading, title, note, path = '/', action = t.shell.goToStart }: NotFoundProps) {
  return (
    <>
      <PageHeader title={heading} />
      <EmptyState
        subject="search"
        title={title}
        action={
          <Button component={Link} href={path}>
            {action}
          </Button>
        }
      >
        {note}
      </EmptyState>
    </>
  );
}

export function NotFoundPage() {
  return <NotFound heading={t.shell.notFound} title={t.shell.noSuchPage} note={t.shell.noSuchPageNote} />;
}

/** Shown to an operator for each page of another app, whether or not that app exists. */
export function OtherAppPage({ sourceAppId, session: { account } }: { sourceAppId: string; session: Session }) {
  const note = account ? t.shell.askToBeInvited(sourceAppId, account.email) : t.shell.logInAs(sourceAppId);
  return <NotFound heading={t.shell.otherApp} title={t.shell.belongsToOtherApp} note={note} />;
}

interface AppNotFoundProps extends Pick<NotFoundProps, 'path' | 'action'> {
  sourceAppId: string;
}

export function AppNotFound({ sourceAppId, ...link }: AppNotFoundProps) {
  const title = t.shell.noAppHasId(sourceAppId);
  return <NotFound heading={t.shell.appNotFound} title={title} note={t.shell.mayBeDeleted} {...link} />;
}
