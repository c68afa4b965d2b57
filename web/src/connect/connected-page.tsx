import type { ReactNode } from 'react';
import { hasStatus } from '../api/call.ts';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { AppNotFound } from '../shell/not-found-page.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { type ConnectedApp, useConnectedApp } from './queries.ts';

interface ConnectedPageProps {
  scope: Scope;
  title: string;
  children: (app: ConnectedApp) => ReactNode;
}

/** A page that shows the schema and the form settings of an app, once both are read. */
export function ConnectedPage({ scope, title, children }: ConnectedPageProps) {
  const { sourceAppId } = scope;
  const { app, error, refetch } = useConnectedApp(scope);
  if (hasStatus(error, 404)) return <AppNotFound sourceAppId={sourceAppId} path="/" action={t.connect.goToStart} />;
  return (
    <>
      <PageHeader title={title} note={app ? t.connect.note(sourceAppId, app.schema.version) : sourceAppId} />
      {error && <LoadError error={error} onRetry={refetch} />}
      {!app && !error && <PageSkeleton />}
      {app && children(app)}
    </>
  );
}
