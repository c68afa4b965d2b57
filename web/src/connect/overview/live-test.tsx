import { Alert, Button, Loader, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import card from '../../components/card.module.css';
import { CheckIcon } from '../../components/icons.tsx';
import { Time } from '../../components/time.tsx';
import { newestHeldQuery } from '../../held/queries.ts';
import { appPath } from '../../users/scope.ts';
import classes from '../connect-page.module.css';
import { recordPath } from '../paths.ts';
import type { ConnectedApp } from '../queries.ts';
import { formPageUrl } from '../urls.ts';
import { type NewestSubmission, newestSubmissionQuery } from './newest-submission.ts';
import { canTest, submitTest, TEST_EMAIL, type TestResult } from './test-submission.ts';

/** Sends a test submission, and announces submissions while the page is open. */
export function LiveTest({ app }: { app: ConnectedApp }) {
  const test = useMutation({ mutationFn: () => submitTest(app) });
  const isPossible = canTest(app);
  const url = formPageUrl({ origin: window.location.origin, sourceAppId: app.sourceAppId });
  return (
    <section className={card.card} aria-labelledby="connect-test">
      <div className={card.section}>
        <Title order={2} size="h4" id="connect-test">
          Try it
        </Title>
        <Arrivals app={app} test={test.data} />
        {!app.asAdmin && <HeldArrival app={app} />}
        <div className={classes.try}>
          <Button variant="default" loading={test.isPending} disabled={!isPossible} onClick={() => test.mutate()}>
            Send a test submission
          </Button>
          <Text size="sm" c="dimmed">
            {isPossible
              ? `Stores example values as ${TEST_EMAIL}. `
              : 'Not possible while proof of work is on, because this page is not an https page. '}
            <a href={url} target="_blank" rel="noopener">
              Open the form page
            </a>{' '}
            to send your own.
          </Text>
        </div>
        <div aria-live="polite">
          {test.data && <Result app={app} result={test.data} />}
          {test.error && (
            <Alert color="red" variant="light" title="The test could not be sent">
              The service did not respond. Try again.
            </Alert>
          )}
        </div>
      </div>
    </section>
  );
}

function Result({ app, result }: { app: ConnectedApp; result: TestResult }) {
  if (result.state === 'stored') {
    return (
      <Alert color="green" variant="light" p="xs" icon={<CheckIcon size={16} />}>
        The test submission is stored. <Link href={recordPath(app, result.id)}>Show the record</Link>
      </Alert>
    );
  }
  return (
    <Alert color="red" variant="light" title="The test submission was refused">
      {result.message}.
      {result.issues.length > 0 && (
        <ul className={classes.problems}>
          {result.issues.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path.replace(/^data\./, '')}: {message}
            </li>
          ))}
        </ul>
      )}
      {result.issues.length > 0 && ' The example values do not fit every field. Send your own on the form page.'}
    </Alert>
  );
}

/** Announces the newest submission that arrived after the page was opened. */
function Arrivals({ app, test }: { app: ConnectedApp; test: TestResult | undefined }) {
  const { data: newest, isSuccess } = useQuery(newestSubmissionQuery(app));
  const [before, setBefore] = useState<NewestSubmission | null>();
  if (isSuccess && before === undefined) setBefore(newest);
  const isTest = test?.state === 'stored' && newest?.id === test.id && newest.at <= test.updatedAt;
  const hasArrived = newest && before !== undefined && newest.at !== before?.at && !isTest;
  return (
    <div className={classes.waiting} data-arrived={hasArrived || undefined} role="status">
      {hasArrived ? <CheckIcon size={20} /> : <Loader size="xs" type="dots" aria-hidden="true" />}
      <span className="breaks">
        {hasArrived ? (
          <>
            <strong>Received: {newest.email ?? 'a submission'}</strong>, <Time at={newest.at} relative />.{' '}
            {newest.id && <Link href={recordPath(app, newest.id)}>Show the record</Link>}
          </>
        ) : (
          <>
            <strong>Waiting for a submission from your site…</strong>{' '}
            <span className={classes.detail}>Send your form, and it appears here.</span>
          </>
        )}
      </span>
    </div>
  );
}

/** Announces a submission that bot protection held after the page was opened. */
function HeldArrival({ app }: { app: ConnectedApp }) {
  const { data: newest, isSuccess } = useQuery(newestHeldQuery(app));
  const [before, setBefore] = useState<string | null>();
  if (isSuccess && before === undefined) setBefore(newest?.id ?? null);
  const isNew = newest && before !== undefined && newest.id !== before;
  return (
    <div aria-live="polite">
      {isNew && (
        <Alert color="yellow" variant="light" p="xs">
          Bot protection holds a submission of {newest.email}, <Time at={newest.at} relative />.{' '}
          {newest.reason === 'no-proof' && 'It came without a proof of work. '}
          <Link href={appPath(app, 'held')}>Show held submissions</Link>
        </Alert>
      )}
    </div>
  );
}
