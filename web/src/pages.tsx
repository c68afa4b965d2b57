import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import type { Session } from './api/endpoints.ts';
import { AllUsersPage } from './apps/all-users-page.tsx';
import { AppsPage } from './apps/apps-page.tsx';
import { RecordPage } from './record/record-page.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { PageSkeleton } from './shell/page-skeleton.tsx';
import { Shell } from './shell/shell.tsx';
import { UsersPage } from './users/users-page.tsx';

// Loaded on demand: the field rules and the linear-time pattern engine are large.
const SchemaPage = lazy(() => import('./schema-editor/schema-page.tsx'));
const HeldPage = lazy(() => import('./held/held-page.tsx').then((page) => ({ default: page.HeldPage })));
const ImportPage = lazy(() => import('./import/import-page.tsx').then((page) => ({ default: page.ImportPage })));
const PrivacyPage = lazy(() => import('./privacy/privacy-page.tsx').then((page) => ({ default: page.PrivacyPage })));
const ConnectPage = lazy(() => import('./connect/connect-page.tsx').then((page) => ({ default: page.ConnectPage })));

/** Maps URLs to pages for the role of the session. */
export function Pages({ session }: { session: Session }) {
  return (
    <Shell session={session}>
      <Suspense fallback={<PageSkeleton />}>
        {session.role === 'admin' ? <AdminPages /> : <OperatorPages sourceAppId={session.sourceAppId} />}
      </Suspense>
    </Shell>
  );
}

function AdminPages() {
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/apps" replace />
      </Route>
      <Route path="/apps" component={AppsPage} />
      <Route path="/apps/:sourceAppId/connect/:tab?">
        {({ sourceAppId, tab }) => <ConnectPage key={sourceAppId} sourceAppId={sourceAppId} tab={tab} asAdmin />}
      </Route>
      <Route path="/apps/:sourceAppId/users">
        {({ sourceAppId }) => <UsersPage key={sourceAppId} scope={{ sourceAppId, asAdmin: true }} />}
      </Route>
      <Route path="/apps/:sourceAppId/users/:id">
        {({ sourceAppId, id }) => <RecordPage id={id} scope={{ sourceAppId, asAdmin: true }} />}
      </Route>
      <Route path="/apps/:sourceAppId/privacy">
        {({ sourceAppId }) => <PrivacyPage key={sourceAppId} scope={{ sourceAppId, asAdmin: true }} />}
      </Route>
      <Route path="/apps/:sourceAppId/held">
        {({ sourceAppId }) => <HeldPage key={sourceAppId} scope={{ sourceAppId, asAdmin: true }} />}
      </Route>
      <Route path="/apps/:sourceAppId/import">
        {({ sourceAppId }) => <ImportPage key={sourceAppId} scope={{ sourceAppId, asAdmin: true }} />}
      </Route>
      <Route path="/apps/:sourceAppId/:tab?">
        {({ sourceAppId, tab }) => <SchemaPage key={sourceAppId} sourceAppId={sourceAppId} tab={tab} />}
      </Route>
      <Route path="/users" component={AllUsersPage} />
      <Route path="/privacy">
        <PrivacyPage />
      </Route>
      <Route component={NotFoundPage} />
    </Switch>
  );
}

function OperatorPages({ sourceAppId }: { sourceAppId: string }) {
  const scope = { sourceAppId, asAdmin: false };
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/users" replace />
      </Route>
      <Route path="/users">
        <UsersPage scope={scope} />
      </Route>
      <Route path="/users/:id">{({ id }) => <RecordPage id={id} scope={scope} />}</Route>
      <Route path="/held">
        <HeldPage scope={scope} />
      </Route>
      <Route path="/privacy">
        <PrivacyPage scope={scope} />
      </Route>
      <Route path="/import">
        <ImportPage scope={scope} />
      </Route>
      <Route path="/connect/:tab?">{({ tab }) => <ConnectPage sourceAppId={sourceAppId} tab={tab} />}</Route>
      <Route component={NotFoundPage} />
    </Switch>
  );
}
