import { Badge, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { LoadError } from '../components/load-error.tsx';
import { Problem } from '../components/problem.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import { Time } from '../components/time.tsx';
import classes from './account.module.css';
import { deviceName } from './device.ts';
import { sessionsQuery, useAccountChanges } from './queries.ts';
import { Section } from './section.tsx';

const METHODS: Record<string, string> = {
  password: 'by password',
  link: 'by a link',
  invitation: 'by an invitation',
  passkey: 'by passkey',
  oidc: 'by single sign-on',
};

/** Where the account is logged in. */
export function SessionsCard() {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const { endSession, endOthers } = useAccountChanges();
  const sessions = data?.toSorted(
    (a, b) => Number(b.current) - Number(a.current) || (a.createdAt < b.createdAt ? 1 : -1),
  );
  return (
    <Section id="account-sessions" title="Sessions">
      {error && <LoadError error={error} onRetry={refetch} />}
      {!sessions && !error && <TableSkeleton rows={2} />}
      {sessions && (
        <ul className={classes.sessions} aria-label="Sessions">
          {sessions.map(({ id, current, device, address, method, createdAt, expiresAt }) => (
            <li key={id}>
              <div>
                <Group gap="xs">
                  <strong>{deviceName(device)}</strong>
                  {current && (
                    <Badge variant="light" color="green" tt="none">
                      This session
                    </Badge>
                  )}
                </Group>
                <div className={classes.detail}>
                  Logged in {METHODS[method] ?? method} <Time at={createdAt} relative />
                  {address !== '' && ` from ${address}`}, ends <Time at={expiresAt} />
                </div>
              </div>
              {!current && (
                <Button
                  variant="subtle"
                  size="xs"
                  color="red"
                  loading={endSession.isPending && endSession.variables === id}
                  aria-label={`End session: ${deviceName(device)}`}
                  onClick={() => endSession.mutate(id)}
                >
                  End session
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <Problem error={endSession.error ?? endOthers.error} />
      {sessions && sessions.length > 1 && (
        <div>
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            End all others
          </Button>
        </div>
      )}
    </Section>
  );
}
