import { Badge, Button, NativeSelect, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import type { Mail } from '../api/endpoints.ts';
import { Fold } from '../components/content/fold.tsx';
import { Time } from '../components/content/time.tsx';
import { Problem } from '../components/form/problem.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { CursorPager, useCursorPages } from '../components/table/cursor-pager.tsx';
import { DataTable } from '../components/table/data-table.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { t } from '../texts/texts.ts';
import { recordPath, type Scope } from '../users/scope.ts';
import classes from './emails.module.css';
import { lastAttempt, type MailState, mailsQuery, reasonOf, useMailChanges } from './queries.ts';

const COLORS = { waiting: 'yellow', sent: 'green', failed: 'red' } satisfies Record<MailState, string>;
const MINUTE_MS = 60_000;
const STATES = Object.keys(COLORS) as MailState[];

/** The emails of the last 30 days, newest first, with a filter by state. */
export function SentEmails({ scope }: { scope: Scope }) {
  const [searchParams, setSearchParams] = useSearchParams();
  const state = STATES.find((one) => one === searchParams.get('state'));
  return (
    <section className={card.card} aria-labelledby="sent-emails">
      <div className={classes.bar}>
        <Title order={2} size="h4" id="sent-emails">
          {t.emails.list}
        </Title>
        <NativeSelect
          aria-label={t.emails.state}
          size="xs"
          value={state ?? ''}
          data={[
            { value: '', label: t.emails.allStates },
            ...STATES.map((one) => ({ value: one, label: t.emails.states[one] })),
          ]}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setSearchParams(value === '' ? [] : [['state', value]], { replace: true });
          }}
        />
      </div>
      <Pages key={state ?? ''} scope={scope} state={state} />
    </section>
  );
}

/** The pages of a list. A new list begins with its first page. */
function Pages({ scope, state }: { scope: Scope; state: MailState | undefined }) {
  const pages = useCursorPages();
  const { data, error, refetch } = useQuery(mailsQuery(scope, { state, cursor: pages.cursor }));
  const { retry } = useMailChanges(scope);
  return (
    <>
      {error && <LoadError error={error} onRetry={refetch} />}
      <Problem error={retry.error} m="md" />
      <ListBody
        items={data?.mails}
        error={error}
        rows={4}
        empty={<EmptyState title={state ? t.emails.noneInState : t.emails.none}>{t.emails.noneNote}</EmptyState>}
      >
        {(mails) => (
          <MailsTable
            mails={mails}
            scope={scope}
            retrying={retry.isPending ? retry.variables : undefined}
            onRetry={retry.mutate}
          />
        )}
      </ListBody>
      <CursorPager pages={pages} shown={data} />
    </>
  );
}

interface MailsTableProps {
  mails: readonly Mail[];
  scope: Scope;
  /** The id of the email that is being sent again. */
  retrying: string | undefined;
  onRetry: (id: string) => void;
}

function MailsTable({ mails, scope, retrying, onRetry }: MailsTableProps) {
  return (
    <DataTable
      label={t.emails.table}
      width={640}
      rows={mails}
      columns={[
        { name: t.emails.state, className: classes.state, cell: (mail) => <State mail={mail} /> },
        {
          name: t.emails.email,
          cell: ({ purpose, to, userId }) => (
            <>
              {t.emails.purposes[purpose]}
              <div className={classes.muted}>
                {t.emails.to[to]}
                {userId !== undefined && (
                  <>
                    {' · '}
                    <Link href={recordPath(scope, userId)}>{t.emails.record}</Link>
                  </>
                )}
              </div>
            </>
          ),
        },
        { name: t.common.time, className: classes.nowrap, cell: ({ at }) => <Time at={at} relative /> },
      ]}
      actions={(mail) =>
        mail.state === 'failed' && (
          <Button
            size="xs"
            variant="default"
            disabled={retrying !== undefined}
            loading={retrying === mail.id}
            aria-label={t.emails.retryOf(t.emails.purposes[mail.purpose])}
            onClick={() => onRetry(mail.id)}
          >
            {t.emails.retry}
          </Button>
        )
      }
    />
  );
}

/** The state of an email, with why its last attempt failed, and when the next one follows. */
function State({ mail }: { mail: Mail }) {
  const { state, nextAt, attempts } = mail;
  const error = lastAttempt(mail)?.error;
  return (
    <>
      <Badge color={COLORS[state]}>{t.emails.states[state]}</Badge>
      {error !== undefined && (
        <div className={classes.reason}>
          {state === 'sent' ? t.emails.notForAll(reasonOf(error).text) : reasonOf(error).text}
        </div>
      )}
      {nextAt !== undefined && <div className={classes.muted}>{nextAttempt(nextAt)}</div>}
      {attempts.length > 0 && (
        <Fold className={classes.muted} summary={t.emails.attempts(attempts.length)}>
          <ol className={classes.attempts}>
            {attempts.map((attempt) => (
              <li key={attempt.at}>
                <Attempt attempt={attempt} />
              </li>
            ))}
          </ol>
        </Fold>
      )}
    </>
  );
}

function Attempt({ attempt: { at, status, error } }: { attempt: Mail['attempts'][number] }) {
  const { text, detail } = error === undefined ? { text: t.emails.taken, detail: '' } : reasonOf(error);
  return (
    <>
      <Time at={at} />: {text}
      {status !== undefined && ` · ${t.emails.status(status)}`}
      {detail !== '' && <div className={classes.detail}>{detail}</div>}
    </>
  );
}

/** A relative time has no seconds. */
const nextAttempt = (at: string) =>
  Date.parse(at) <= Date.now() + MINUTE_MS
    ? t.emails.nextAttemptSoon
    : t.emails.nextAttemptAt(<Time at={at} relative />);
