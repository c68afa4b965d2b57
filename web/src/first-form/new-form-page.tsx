import { Alert, Button, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ApiError } from '../api/call.ts';
import card from '../components/card.module.css';
import { CopyButton } from '../components/copy-button.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { OriginsCard } from '../connect/overview/origins-card.tsx';
import { connectPath } from '../connect/paths.ts';
import { type ConnectedApp, useConnectedApp } from '../connect/queries.ts';
import { SnippetsCard } from '../connect/snippets/snippets-card.tsx';
import { formPageUrl } from '../connect/urls.ts';
import { NotFoundPage } from '../shell/not-found-page.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { appPath, usersPath } from '../users/scope.ts';
import { ChooseTemplate, type CreatedApp } from './choose-template.tsx';
import { FirstSubmission } from './first-submission.tsx';
import classes from './new-form.module.css';

/**
 * From a template to the first submission. The address names the app once it exists, so that a
 * reload shows it again.
 */
export function NewFormPage() {
  const [searchParams, setSearchParams] = useSearchParams();
  const [created, setCreated] = useState<CreatedApp>();
  const sourceAppId = searchParams.get('app') ?? '';
  if (sourceAppId !== '') {
    const password = created?.sourceAppId === sourceAppId ? created.password : undefined;
    return <NewForm key={sourceAppId} sourceAppId={sourceAppId} password={password} />;
  }
  return (
    <ChooseTemplate
      onCreated={(app) => {
        setCreated(app);
        setSearchParams([['app', app.sourceAppId]], { replace: true });
      }}
    />
  );
}

interface NewFormProps {
  sourceAppId: string;
  /** Of an app that was created on this page. */
  password: string | undefined;
}

function NewForm({ sourceAppId, password }: NewFormProps) {
  const { app, error, refetch } = useConnectedApp({ sourceAppId, asAdmin: true });
  const isNew = password !== undefined;
  useEffect(() => {
    // As after a navigation: the button that had the focus is gone.
    if (isNew) document.getElementById('main')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [isNew]);
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage />;
  return (
    <>
      <PageHeader title="Your form is ready" note={sourceAppId} />
      {error && <LoadError error={error} onRetry={refetch} />}
      {!app && !error && <PageSkeleton />}
      {app && (
        <div className={card.stack}>
          <FormLink app={app} />
          <FirstSubmission app={app} />
          <SnippetsCard app={app} />
          <OriginsCard app={app} />
          {password !== undefined && <Password password={password} app={app} />}
          <NextSteps app={app} />
        </div>
      )}
    </>
  );
}

function FormLink({ app }: { app: ConnectedApp }) {
  const url = formPageUrl({ origin: window.location.origin, sourceAppId: app.sourceAppId });
  return (
    <section className={card.card} aria-labelledby="form-link">
      <div className={card.section}>
        <Title order={2} size="h4" id="form-link">
          Try your form
        </Title>
        <Text size="sm">Open it and send it yourself, or share its address. It needs no website.</Text>
        <div className={classes.row}>
          <Button component="a" href={url} target="_blank" rel="noopener">
            Open the form<span className="visually-hidden"> (in a new tab)</span>
          </Button>
          <CopyButton text={url} label="Copy address" />
          <code className={classes.address}>{url}</code>
        </div>
      </div>
    </section>
  );
}

function Password({ password, app }: { password: string; app: ConnectedApp }) {
  return (
    <section className={card.card} aria-labelledby="app-password">
      <div className={card.section}>
        <Title order={2} size="h4" id="app-password">
          Password of the app
        </Title>
        <Text size="sm" className="breaks">
          With the app ID <strong>{app.sourceAppId}</strong> and this password a team can share one log-in. You do not
          need it: you can invite people with accounts of their own.
        </Text>
        <div className={classes.row}>
          <code className={classes.address}>{password}</code>
          <CopyButton text={password} label="Copy password" />
        </div>
        <Alert color="yellow" variant="light" p="xs">
          You won't see this password again. An administrator can replace it at any time.
        </Alert>
      </div>
    </section>
  );
}

function NextSteps({ app }: { app: ConnectedApp }) {
  return (
    <section className={card.card} aria-labelledby="next-steps">
      <div className={`${card.section} ${classes.links}`}>
        <Title order={2} size="h4" id="next-steps">
          Next
        </Title>
        <ul className={classes.next}>
          <li>
            <Link href={appPath(app)}>Change the fields</Link>
          </li>
          <li>
            <Link href={connectPath(app, 'settings')}>Change the texts, emails and limits of the form</Link>
          </li>
          <li>
            <Link href={appPath(app, 'members')}>Invite people to the app</Link>
          </li>
          <li>
            <Link href={usersPath(app)}>See all users</Link>
          </li>
        </ul>
      </div>
    </section>
  );
}
