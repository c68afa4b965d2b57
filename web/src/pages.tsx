import { notifications } from '@mantine/notifications';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation, useRoute, useSearch } from 'wouter';
import { StartPage } from './inbox/start-page.tsx';
import { useAbilities, WithAbilities } from './session/abilities.tsx';
import { rememberApp, useCurrentApp } from './session/current-app.ts';
import type { Session } from './session/session.ts';
import { useSignOnRefusal } from './session/single-sign-on.tsx';
import { PageSkeleton } from './shell/page-skeleton.tsx';
import { Shell } from './shell/shell.tsx';
import { t, useTexts } from './texts/texts.ts';
import { appPath, type Scope } from './users/scope.ts';
import { UsersPage } from './users/users-page.tsx';

// Loaded on demand: an operator begins with the list of users. The field rules of the schema editor
// and the linear-time pattern engine are large.
const ChooseAppPage = lazy(() => import('./shell/choose-app-page.tsx'));
const NotFoundPage = lazy(async () => ({ default: (await import('./shell/not-found-page.tsx')).NotFoundPage }));
const OtherAppPage = lazy(async () => ({ default: (await import('./shell/not-found-page.tsx')).OtherAppPage }));
const RecordPage = lazy(() => import('./record/record-page.tsx'));
const AppsPage = lazy(() => import('./apps/apps-page.tsx'));
const AllUsersPage = lazy(() => import('./apps/all-users-page.tsx'));
const FormPage = lazy(() => import('./schema-editor/form-page.tsx'));
const AccountPage = lazy(() => import('./account/account-page.tsx'));
const AccountsPage = lazy(() => import('./accounts/accounts-page.tsx'));
const MembersPage = lazy(() => import('./members/members-page.tsx'));
const NewFormPage = lazy(() => import('./first-form/new-form-page.tsx'));
const OverviewPage = lazy(() => import('./overview/overview-page.tsx'));
const AppOverviewPage = lazy(() => import('./overview/app-overview-page.tsx'));
const HeldPage = lazy(() => import('./held/held-page.tsx'));
const InboxPage = lazy(() => import('./inbox/inbox-page.tsx'));
const KeysPage = lazy(() => import('./keys/keys-page.tsx'));
const EmailsPage = lazy(() => import('./emails/emails-page.tsx'));
const AuditPage = lazy(() => import('./audit/audit-page.tsx'));
const ImportPage = lazy(() => import('./import/import-page.tsx'));
const PrivacyPage = lazy(() => import('./privacy/privacy-page.tsx'));
const SharePage = lazy(() => import('./connect/share-page.tsx'));
const ImportFormPage = lazy(() => import('./connect/import/import-page.tsx'));
const SettingsPage = lazy(() => import('./connect/settings/settings-page.tsx'));
const WebhooksPage = lazy(() => import('./webhooks/webhooks-page.tsx'));
const WebhookPage = lazy(() => import('./webhooks/webhook-page.tsx'));

/** The pages of a session, once their texts are there. */
export function Pages({ session }: { session: Session }) {
  useTexts();
  return <RolePages session={session} />;
}

/** Maps URLs to pages for the role of the session. */
function RolePages({ session }: { session: Session }) {
  const [isLogIn] = useRoute('/login');
  if (isLogIn) return <LoggedIn />;
  return (
    <Shell session={session}>
      {session.role === 'admin' ? <AdminPages session={session} /> : <OperatorPages session={session} />}
    </Shell>
  );
}

/** The address of the log-in page for somebody who is logged in. */
function LoggedIn() {
  const refusal = useSignOnRefusal();
  const [, navigate] = useLocation();
  useEffect(() => {
    if (refusal) notifications.show({ color: 'red', title: t.components.logInFailed, message: refusal });
    navigate('/', { replace: true });
  }, [refusal, navigate]);
  return null;
}

function AdminPages({ session }: { session: Session }) {
  return (
    <Suspense fallback={<PageSkeleton />}>
      <Switch>
        <Route path="/">
          <Redirect to="/apps" replace />
        </Route>
        <Route path="/apps" component={AppsPage} />
        <Route path="/overview" component={OverviewPage} />
        <Route path="/apps/:sourceAppId/*?">
          {({ sourceAppId }) => (
            <Suspense fallback={<PageSkeleton />}>
              <AppPages key={sourceAppId} scope={{ sourceAppId, asAdmin: true }} />
            </Suspense>
          )}
        </Route>
        <Route path="/new-form" component={NewFormPage} />
        <Route path="/users" component={AllUsersPage} />
        <Route path="/audit">
          <AuditPage />
        </Route>
        <Route path="/privacy">
          <PrivacyPage />
        </Route>
        <Route path="/accounts" component={AccountsPage} />
        {session.account && <Route path="/account" component={AccountPage} />}
        <Route component={NotFoundPage} />
      </Switch>
    </Suspense>
  );
}

function OperatorPages({ session }: { session: Session }) {
  const app = useCurrentApp(session);
  const scope = app && { sourceAppId: app.sourceAppId, asAdmin: false };
  return (
    <Suspense fallback={<PageSkeleton />}>
      <Switch>
        <Route path="/overview" component={OverviewPage} />
        <Route path="/">{scope ? <StartPage scope={scope} /> : <ChooseAppPage session={session} />}</Route>
        {session.account && <Route path="/account" component={AccountPage} />}
        <Route path="/apps/:app/*?">
          {({ app: named }) =>
            app && scope && named === app.sourceAppId ? (
              <WithAbilities role={app.role}>
                <RememberApp session={session} sourceAppId={named} />
                <AppPages key={named} scope={scope} />
              </WithAbilities>
            ) : (
              <OtherAppPage sourceAppId={named} session={session} />
            )
          }
        </Route>
        <Route component={NotFoundPage} />
      </Switch>
    </Suspense>
  );
}

function RememberApp({ session, sourceAppId }: { session: Session; sourceAppId: string }) {
  useEffect(() => rememberApp(session, sourceAppId), [session, sourceAppId]);
  return null;
}

/** The pages of one app, at the same addresses for its operators and for admins. */
function AppPages({ scope }: { scope: Scope }) {
  const { sourceAppId } = scope;
  const can = useAbilities();
  const pages: Readonly<Record<string, ReactNode>> = {
    overview: <AppOverviewPage scope={scope} />,
    users: <UsersPage scope={scope} />,
    import: can.import && <ImportPage scope={scope} />,
    webhooks: can.webhooks && <WebhooksPage scope={scope} />,
    privacy: can.export && <PrivacyPage scope={scope} />,
    keys: can.manage && <KeysPage scope={scope} />,
    emails: can.manage && <EmailsPage scope={scope} />,
    audit: can.manage && <AuditPage scope={scope} />,
    settings: can.manage && <SettingsPage scope={scope} />,
    members: can.members && <MembersPage sourceAppId={sourceAppId} />,
    held: <HeldPage scope={scope} />,
    share: <SharePage scope={scope} />,
    'share/import': can.manage && <ImportFormPage scope={scope} />,
    start: <StartPage scope={scope} />,
  };
  const shown = Object.entries(pages).filter(([, page]) => page !== false);
  return (
    <Switch>
      {shown.map(([name, page]) => (
        <Route key={name} path={`/apps/:app/${name}`}>
          {page}
        </Route>
      ))}
      <Route path="/apps/:app/users/:id">{({ id }) => <RecordPage key={id} id={id} scope={scope} />}</Route>
      <Route path="/apps/:app/inbox/:id?">{({ id }) => <InboxPage scope={scope} id={id} />}</Route>
      {can.webhooks && (
        <Route path="/apps/:app/webhooks/:id">{({ id }) => <WebhookPage key={id} id={id} scope={scope} />}</Route>
      )}
      {can.manage && <Route path="/apps/:app/form/:tab?">{({ tab }) => <FormPage scope={scope} tab={tab} />}</Route>}
      {/* Only managers and admins edit schemas. */}
      <Route path="/apps/:app">{can.schema ? <Moved scope={scope} to="form" /> : <StartPage scope={scope} />}</Route>
      {Object.entries(EARLIER).map(([path, to]) => (
        <Route key={path} path={`/apps/:app/${path}`}>
          <Moved scope={scope} to={to} />
        </Route>
      ))}
      <Route component={NotFoundPage} />
    </Switch>
  );
}

/** Earlier paths of pages of an app, which links and bookmarks still have. */
const EARLIER: Readonly<Record<string, string>> = {
  json: 'form/json',
  versions: 'form/versions',
  connect: 'share',
  'connect/import': 'share/import',
  'connect/design': 'form/design',
  'connect/settings': 'settings',
};

function Moved({ scope, to }: { scope: Scope; to: string }) {
  const search = useSearch();
  return <Redirect to={`${appPath(scope, to)}${search && `?${search}`}`} replace />;
}
