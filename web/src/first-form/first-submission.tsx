import { Loader, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api/call.ts';
import card from '../components/card.module.css';
import { CheckIcon } from '../components/icons.tsx';
import { labelOf } from '../components/labels.ts';
import { LoadError } from '../components/load-error.tsx';
import { Time } from '../components/time.tsx';
import connect from '../connect/connect-page.module.css';
import { recordPath } from '../connect/paths.ts';
import type { ConnectedApp } from '../connect/queries.ts';
import { FullValue } from '../record/full-value.tsx';
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
    <section className={card.card} aria-labelledby="first-submission">
      <div className={`${card.section} ${classes.links}`}>
        <Title order={2} size="h4" id="first-submission">
          First submission
        </Title>
        {error && !user && <LoadError error={error} onRetry={refetch} />}
        <div className={connect.waiting} data-arrived={user ? true : undefined} role="status">
          {user ? <CheckIcon size={20} /> : <Loader size="xs" type="dots" aria-hidden="true" />}
          <span className="breaks">
            {user ? (
              <>
                <strong>Received: {user.email}</strong>, <Time at={user.createdAt} relative />.
              </>
            ) : (
              <>
                <strong>Waiting for the first submission…</strong>{' '}
                <span className={connect.detail}>Open the form and send it. It appears here.</span>
              </>
            )}
          </span>
        </div>
        {user && (
          <>
            <dl className={classes.values} aria-label="Submitted values">
              {app.schema.fields
                .filter(({ key }) => key in user.data)
                .map((field) => (
                  <div key={field.key}>
                    <dt>{field.label || field.key}</dt>
                    <dd>
                      <FullValue value={labelOf(field, user.data[field.key])} />
                    </dd>
                  </div>
                ))}
            </dl>
            <Text size="sm">
              <Link href={recordPath(app, user.id)}>Show the record</Link>
            </Text>
          </>
        )}
      </div>
    </section>
  );
}
