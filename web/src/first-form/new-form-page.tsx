import { Alert, Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { hasStatus } from '../api/call.ts';
import { CopyButton } from '../components/content/copy-button.tsx';
import card from '../components/page/card.module.css';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { Section } from '../components/page/section.tsx';
import { OriginsCard } from '../connect/overview/origins-card.tsx';
import { type ConnectedApp, useConnectedApp } from '../connect/queries.ts';
import { SnippetsCard } from '../connect/snippets/snippets-card.tsx';
import { formPageUrl } from '../connect/urls.ts';
import { NotFoundPage } from '../shell/not-found-page.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { t } from '../texts/texts.ts';
import { appPath, startPath } from '../users/scope.ts';
import { ChooseTemplate, type CreatedApp } from './choose-template.tsx';
import { FirstSubmission } from './first-submission.tsx';
import classes from './new-form.module.css';

/**
 * From a template to the first submission. The address names the app once it exists, so that a
 * reload shows it again.
 */
export default function NewFormPage() {
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
  if (hasStatus(error, 404)) return <NotFoundPage />;
  return (
    <>
      <PageHeader title={t.firstForm.readyTitle} note={sourceAppId} />
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
  const url = formPageUrl(app.sourceAppId);
  return (
    <Section id="form-link" title={t.firstForm.tryTitle}>
      <Text>{t.firstForm.tryNote}</Text>
      <div className={classes.row}>
        <Button component="a" href={url} target="_blank" rel="noopener">
          {t.firstForm.openForm()}
        </Button>
        <CopyButton text={url} label={t.firstForm.copyAddress} />
        <code className={classes.address}>{url}</code>
      </div>
    </Section>
  );
}

function Password({ password, app }: { password: string; app: ConnectedApp }) {
  return (
    <Section id="app-password" title={t.firstForm.passwordTitle}>
      <Text className="breaks">{t.firstForm.passwordNote(app.sourceAppId)}</Text>
      <div className={classes.row}>
        <code className={classes.address}>{password}</code>
        <CopyButton text={password} label={t.firstForm.copyPassword} />
      </div>
      <Alert color="yellow" p="xs">
        {t.firstForm.passwordWarning}
      </Alert>
    </Section>
  );
}

function NextSteps({ app }: { app: ConnectedApp }) {
  return (
    <Section id="next-steps" title={t.firstForm.nextTitle} className={classes.links}>
      <ul className={classes.next}>
        <li>
          <Link href={appPath(app)}>{t.firstForm.changeFields}</Link>
        </li>
        <li>
          <Link href={appPath(app, 'settings')}>{t.firstForm.changeSettings}</Link>
        </li>
        <li>
          <Link href={appPath(app, 'members')}>{t.firstForm.invitePeople}</Link>
        </li>
        <li>
          <Link href={startPath(app)}>{t.firstForm.seeUsers}</Link>
        </li>
      </ul>
    </Section>
  );
}
