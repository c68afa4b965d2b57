import { Badge } from '@mantine/core';
import { Link } from 'wouter';
import card from '../components/card.module.css';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { appsOf } from '../session/current-app.ts';
import type { Session } from '../session/session.ts';
import { usersPath } from '../users/scope.ts';
import classes from './choose-app-page.module.css';

/** Asks a member of several apps which one to open. */
export function ChooseAppPage({ session }: { session: Session }) {
  const apps = appsOf(session);
  if (apps.length === 0) {
    return (
      <>
        <PageHeader title="No app yet" />
        <EmptyState title="You are no member of an app">
          Ask a manager of an app or an administrator to invite {session.account?.email}.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Choose an app" note="You can change it at any time in the header." />
      <ul className={`${card.card} ${classes.list}`} aria-label="Your apps">
        {apps.map((app) => (
          <li key={app.sourceAppId}>
            <Link href={usersPath(app)} className={classes.app ?? ''}>
              <span className="breaks">{app.sourceAppId}</span>
              <Badge variant="light" color="gray" tt="none">
                {app.role}
              </Badge>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
