import { Alert, Button, Loader, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Time } from '../../components/content/time.tsx';
import { nameOfPath } from '../../components/form/labels.ts';
import { CheckIcon } from '../../components/icons.tsx';
import { Section } from '../../components/page/section.tsx';
import { heldArrivalsQuery } from '../../held/queries.ts';
import { t } from '../../texts/texts.ts';
import { appPath, recordPath } from '../../users/scope.ts';
import type { ConnectedApp } from '../queries.ts';
import classes from '../share-page.module.css';
import { formPageUrl } from '../urls.ts';
import { type NewestSubmission, newestSubmissionQuery } from './newest-submission.ts';
import { submitTest, TEST_EMAIL, type TestResult, whyNoTest } from './test-submission.ts';

/** Sends a test submission, and announces submissions while the page is open. */
export function LiveTest({ app }: { app: ConnectedApp }) {
  const test = useMutation({ mutationFn: () => submitTest(app) });
  const obstacle = whyNoTest(app);
  const url = formPageUrl(app.sourceAppId);
  const page = (
    <a href={url} target="_blank" rel="noopener">
      {t.connect.liveTest.openFormPage}
    </a>
  );
  return (
    <Section id="connect-test" title={t.connect.liveTest.title}>
      <Arrivals app={app} test={test.data} />
      <HeldArrival app={app} />
      <div className={classes.try}>
        <Button
          variant="default"
          loading={test.isPending}
          disabled={obstacle !== undefined}
          onClick={() => test.mutate()}
        >
          {t.connect.liveTest.send}
        </Button>
        <Text c="dimmed">
          {obstacle ? t.connect.liveTest.impossible[obstacle] : t.connect.liveTest.possible(TEST_EMAIL)}{' '}
          {t.connect.liveTest.sendOwn(page)}
        </Text>
      </div>
      <div aria-live="polite">
        {test.data && <Result app={app} result={test.data} />}
        {test.error && (
          <Alert color="red" title={t.connect.liveTest.notSent}>
            {t.connect.liveTest.notSentNote}
          </Alert>
        )}
      </div>
    </Section>
  );
}

function Result({ app, result }: { app: ConnectedApp; result: TestResult }) {
  if (result.state === 'stored') {
    return (
      <Alert color="green" p="xs" icon={<CheckIcon size={16} />}>
        {t.connect.liveTest.stored} <Link href={recordPath(app, result.id)}>{t.common.showRecord}</Link>
      </Alert>
    );
  }
  return (
    <Alert color="red" title={t.connect.liveTest.refused}>
      {result.message}.
      {result.issues.length > 0 && (
        <ul className={classes.problems}>
          {result.issues.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {nameOfPath(path, app.schema.fields)} {message}
            </li>
          ))}
        </ul>
      )}
      {result.issues.length > 0 && ` ${t.connect.liveTest.doNotFit}`}
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
            <Received newest={newest} />{' '}
            {newest.id && <Link href={recordPath(app, newest.id)}>{t.common.showRecord}</Link>}
          </>
        ) : (
          <>
            <strong>{t.connect.liveTest.waiting}</strong>{' '}
            <span className={classes.detail}>{t.connect.liveTest.waitingNote}</span>
          </>
        )}
      </span>
    </div>
  );
}

function Received({ newest: { email, at } }: { newest: NewestSubmission }) {
  const time = <Time at={at} relative />;
  return email === undefined ? t.connect.liveTest.receivedUnknown(time) : t.connect.liveTest.received(email, time);
}

/** Announces a submission that bot protection held after the page was opened. */
function HeldArrival({ app }: { app: ConnectedApp }) {
  const newest = useQuery(heldArrivalsQuery(app)).data?.newest;
  return (
    <div aria-live="polite">
      {newest && (
        <Alert color="yellow" p="xs">
          {t.connect.liveTest.held(newest.email, <Time at={newest.at} relative />)}{' '}
          {newest.reason !== 'honeypot' && `${t.held.reasons[newest.reason]}. `}
          <Link href={appPath(app, 'held')}>{t.connect.liveTest.showHeld}</Link>
        </Alert>
      )}
    </div>
  );
}
