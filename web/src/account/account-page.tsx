import { useQuery } from '@tanstack/react-query';
import card from '../components/card.module.css';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import { AuthenticatorCard } from './authenticator-card.tsx';
import { NameCard } from './name-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { accountQuery } from './queries.ts';
import { SessionsCard } from './sessions-card.tsx';

/** What somebody changes of their own account. */
export function AccountPage() {
  const { data, error, refetch } = useQuery(accountQuery);
  return (
    <>
      <PageHeader title="Your account" note={data?.account.email} />
      {error && <LoadError error={error} onRetry={refetch} />}
      {!data && !error && <TableSkeleton rows={4} />}
      {data && (
        <div className={card.stack}>
          <NameCard name={data.account.name} />
          <PasswordCard email={data.account.email} hasPassword={data.hasPassword} />
          <AuthenticatorCard isOn={data.totp} codesLeft={data.recoveryCodes} />
          <SessionsCard />
        </div>
      )}
    </>
  );
}
