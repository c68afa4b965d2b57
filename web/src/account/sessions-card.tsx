import { Badge, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Time } from '../components/content/time.tsx';
import { Problem } from '../components/form/problem.tsx';
import { RemoveButton } from '../components/form/remove-button.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { Section } from '../components/page/section.tsx';
import { TableSkeleton } from '../components/table/table-skeleton.tsx';
import { t } from '../texts/texts.ts';
import classes from './account.module.css';
import { deviceName } from './device.ts';
import { sessionsQuery, useAccountChanges } from './queries.ts';

const METHODS: Record<string, string> = t.account.methods;

/** Where the account is logged in. */
export function SessionsCard() {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const { endSession, endOthers } = useAccountChanges();
  const sessions = data?.toSorted(
    (a, b) => Number(b.current) - Number(a.current) || (a.createdAt < b.createdAt ? 1 : -1),
  );
  return (
    <Section id="account-sessions" title={t.account.sessions}>
      {error && <LoadError error={error} onRetry={refetch} />}
      {!sessions && !error && <TableSkeleton rows={2} />}
      {sessions && (
        <ul className={classes.sessions} aria-label={t.account.sessions}>
          {sessions.map(({ id, current, device, ...session }) => (
            <li key={id}>
              <div>
                <Group gap="xs">
                  <strong>{deviceName(device)}</strong>
                  {current && <Badge color="green">{t.account.thisSession}</Badge>}
                </Group>
                <div className={classes.detail}>
                  <Origin {...session} />
                </div>
              </div>
              {!current && (
                <RemoveButton
                  loading={endSession.isPending && endSession.variables === id}
                  label={t.account.endSessionOf(deviceName(device))}
                  onClick={() => endSession.mutate(id)}
                >
                  {t.account.endSession}
                </RemoveButton>
              )}
            </li>
          ))}
        </ul>
      )}
      <Problem error={endSession.error ?? endOthers.error} />
      {sessions && sessions.length > 1 && (
        <div>
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t.account.endOthers}
          </Button>
        </div>
      )}
    </Section>
  );
}

interface OriginProps {
  method: string;
  createdAt: string;
  address: string;
  expiresAt: string;
}

function Origin({ method, createdAt, address, expiresAt }: OriginProps) {
  const name = METHODS[method] ?? method;
  const at = <Time at={createdAt} relative />;
  const ends = <Time at={expiresAt} />;
  return address === '' ? t.account.loggedIn(name, at, ends) : t.account.loggedInFrom(name, at, address, ends);
}
