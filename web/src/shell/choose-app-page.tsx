import { Badge } from '@mantine/core';
import { Link } from 'wouter';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { appLabel, appsOf } from '../session/current-app.ts';
import type { Session } from '../session/session.ts';
import { t } from '../texts/texts.ts';
import { startPath } from '../users/scope.ts';
import classes from './choose-app-page.module.css';

/** Asks a member of several apps which one to open. */
export default function ChooseAppPage({ session }: { session: Session }) {
  const apps = appsOf(session);
  if (apps.length === 0) {
    return (
      <>
        <PageHeader title={t.shell.noApp} />
        <EmptyState subject="members" title={t.shell.noMember}>
          {t.shell.askForInvitation(session.account?.email ?? '')}
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title={t.shell.chooseApp} note={t.shell.changeAppLater} />
      <ul className={`${card.card} ${classes.list}`} aria-label={t.shell.yourApps}>
        {apps.map((app) => (
          <li key={app.sourceAppId}>
            <Link href={startPath(app)} className={classes.app ?? ''}>
              <span className="breaks">{appLabel(app)}</span>
              <Badge color="gray">{t.members.roles[app.role]}</Badge>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
