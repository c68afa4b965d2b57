import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './theme.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Router, Switch } from 'wouter';
import { createQueryClient } from './api/query-client.ts';
import { ErrorBoundary } from './components/page/error-boundary.tsx';
import { askBeforeLeaving } from './drafts/unsaved.ts';
import { Pages } from './pages.tsx';
import { SessionGate } from './session/session-gate.tsx';
import { PageSkeleton } from './shell/page-skeleton.tsx';
import { theme } from './theme.ts';

// Loaded on demand: only a link of an email opens them.
const InvitationPage = lazy(() => import('./entrance/invitation-page.tsx'));
const ResetPage = lazy(() => import('./entrance/entrance-pages.tsx').then((page) => ({ default: page.ResetPage })));
const LogInLinkPage = lazy(() =>
  import('./entrance/entrance-pages.tsx').then((page) => ({ default: page.LogInLinkPage })),
);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

askBeforeLeaving();

// Mantine's variables and classes come from its CSS files, because the content security policy
// blocks the style elements that Mantine would inject.
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <ErrorBoundary>
        <QueryClientProvider client={createQueryClient()}>
          <Router base="/dashboard">
            <Notifications position="bottom-right" />
            <Suspense fallback={<PageSkeleton />}>
              <Switch>
                <Route path="/invitation" component={InvitationPage} />
                <Route path="/reset" component={ResetPage} />
                <Route path="/link" component={LogInLinkPage} />
                <Route>
                  <SessionGate>{(session) => <Pages session={session} />}</SessionGate>
                </Route>
              </Switch>
            </Suspense>
          </Router>
        </QueryClientProvider>
      </ErrorBoundary>
    </MantineProvider>
  </StrictMode>,
);
