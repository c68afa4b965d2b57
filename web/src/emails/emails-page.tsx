import { Alert, Anchor, Badge, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import type { FormSettings, ResponseBody } from '../api/endpoints.ts';
import { Problem } from '../components/form/problem.tsx';
import { MailIcon } from '../components/icons.tsx';
import card from '../components/page/card.module.css';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { DataTable } from '../components/table/data-table.tsx';
import { TableSkeleton } from '../components/table/table-skeleton.tsx';
import { formSettingsQuery, mailStatusQuery } from '../connect/queries.ts';
import { t } from '../texts/texts.ts';
import { appPath, type Scope, scopeParameter } from '../users/scope.ts';
import { reasonOf, useMailChanges, useMailFailure } from './queries.ts';
import { SentEmails } from './sent-emails.tsx';

// Loaded on demand: its words need the kinds of fields.
const ConditionFacts = lazy(() =>
  import('../record-conditions/condition-facts.tsx').then((part) => ({ default: part.ConditionFacts })),
);

/**
 * The emails that an app sends, with who receives each, and when; and those of the last 30 days.
 */
export default function EmailsPage({ scope }: { scope: Scope }) {
  const { data, error, refetch } = useQuery(formSettingsQuery(scope.sourceAppId));
  const { data: status } = useQuery(mailStatusQuery(scopeParameter(scope)));
  const { test } = useMailChanges(scope);
  const failure = useMailFailure(scope);
  return (
    <>
      <PageHeader title={t.apps.pages.emails} note={t.connect.emails.note(scope.sourceAppId)}>
        {status?.mail && (
          <Button
            variant="default"
            leftSection={<MailIcon size={16} />}
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            {t.emails.test}
          </Button>
        )}
      </PageHeader>
      <div className={card.stack}>
        <TestResult test={test} />
        {failure !== undefined && (
          <Alert color="red" role="status">
            {failure}
          </Alert>
        )}
        {error && <LoadError error={error} onRetry={refetch} />}
        <section className={card.card} aria-label={t.apps.pages.emails}>
          {status?.mail === false && (
            <Text p="md" c="dimmed">
              {t.connect.settings.noMail}
            </Text>
          )}
          {!data && !error && <TableSkeleton rows={4} />}
          {data && (
            <DataTable
              label={t.connect.emails.table}
              rows={emailsOf(data.settings)}
              columns={[
                {
                  name: t.connect.emails.email,
                  cell: ({ name }) => (
                    <Anchor component={Link} href={appPath(scope, 'settings')} inherit>
                      {t.connect.emails.names[name]}
                    </Anchor>
                  ),
                },
                { name: t.connect.emails.to, className: 'breaks', cell: ({ to }) => to },
                {
                  name: t.connect.emails.when,
                  cell: ({ when, route }) =>
                    route ? (
                      <Suspense fallback={null}>
                        <ConditionFacts scope={scope} conditions={route.if} problem={route.problem} />
                      </Suspense>
                    ) : (
                      (when ?? <Badge color="gray">{t.connect.emails.off}</Badge>)
                    ),
                },
              ]}
            />
          )}
        </section>
        <SentEmails scope={scope} />
      </div>
    </>
  );
}

interface TestResultProps {
  test: { data: ResponseBody<'POST /auth/mail/test'> | undefined; error: Error | null };
}

function TestResult({ test: { data, error } }: TestResultProps) {
  if (error) return <Problem error={error} p="xs" />;
  if (!data) return null;
  if (data.ok) {
    return (
      <Alert color="green" role="status" title={t.emails.tested}>
        {t.emails.testedNote}
      </Alert>
    );
  }
  const { text, detail } = reasonOf(data.error ?? '');
  return (
    <Alert color="red" role="alert" title={t.emails.testFailed}>
      {text}
      {detail !== '' && <Text size="sm">{detail}</Text>}
    </Alert>
  );
}

interface Email {
  id: string;
  name: keyof typeof t.connect.emails.names;
  to: string;
  /** Undefined: it is not sent. */
  when: string | undefined;
  /** Who receives it if conditions hold. */
  route?: Route;
}

type Route = NonNullable<NonNullable<FormSettings['notify']>['routes']>[number];

function emailsOf({ notify, reply, doubleOptIn, existing }: FormSettings): Email[] {
  const { person, team, whens } = t.connect.emails;
  const { times, replyTimes } = t.connect.settings;
  const { emails = [], routes = [] } = notify ?? {};
  const toAll: Email = { ...of('notification'), to: emails.join(', ') || team, when: notify && times[notify.when] };
  return [
    ...(emails.length > 0 || routes.length === 0 ? [toAll] : []),
    ...routes.map((route, at) => {
      return { ...of('notification', at), to: route.emails.join(', '), when: undefined, route };
    }),
    { ...of('reply'), to: person, when: reply && replyTimes[reply.when] },
    { ...of('confirmation'), to: person, when: doubleOptIn && whens.confirmation },
    { ...of('change'), to: person, when: existing === 'confirm' ? whens.change : undefined },
  ];
}

const of = (name: Email['name'], place?: number) => ({ id: `${name} ${place}`, name });
