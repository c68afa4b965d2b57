import { Loader, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/call.ts';
import { Time } from '../components/content/time.tsx';
import { fieldName, labelOf } from '../components/form/labels.ts';
import { CheckIcon } from '../components/icons.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { Section } from '../components/page/section.tsx';
import type { ConnectedApp } from '../connect/queries.ts';
import connect from '../connect/share-page.module.css';
import { FullValue } from '../record/full-value.tsx';
import { t } from '../texts/texts.ts';
import { recordPath } from '../users/scope.ts';
import classes from './new-form.module.css';

/** How often a visible page reads the list. */
const POLL_INTERVAL_MS = 3_000;

const newestUserQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: ['newest-user', sourceAppId],
    queryFn: async ({ signal }) => {
      const { users } = await call('GET /auth/admin/users', { query: { sourceAppId, limit: 1, skip: 0 }, signal });
      return users[0] ?? null;
    },
    refetchInterval: POLL_INTERVAL_MS,
    staleTime: 0,
  });

/** Waits for the first submission to a new form, and shows it as it arrives. */
export function FirstSubmission({ app }: { app: ConnectedApp }) {
  const { data: user, error, refetch } = useQuery(newestUserQuery(app.sourceAppId));
  return (
    <Section id="first-submission" title={t.firstForm.submissionTitle} className={classes.links}>
      {error && !user && <LoadError error={error} onRetry={refetch} />}
      <div className={connect.waiting} data-arrived={user ? true : undefined} role="status">
        {user ? <CheckIcon size={20} /> : <Loader size="xs" type="dots" aria-hidden="true" />}
        <span className="breaks">
          {user ? (
            t.firstForm.received(user.email, <Time at={user.createdAt} relative />)
          ) : (
            <>
              <strong>{t.firstForm.waiting}</strong> <span className={connect.detail}>{t.firstForm.waitingNote}</span>
            </>
          )}
        </span>
      </div>
      {user && (
        <>
          <dl className={classes.values} aria-label={t.firstForm.values}>
            {app.schema.fields
              .filter(({ key, writers }) => writers !== 'staff' && key in user.data)
              .map((field) => (
                <div key={field.key}>
                  <dt>{fieldName(field)}</dt>
                  <dd>
                    <FullValue value={labelOf(field, user.data[field.key])} />
                  </dd>
                </div>
              ))}
          </dl>
          <Text>
            <Link href={recordPath(app, user.id)}>{t.common.showRecord}</Link>
          </Text>
        </>
      )}
    </Section>
  );
}
