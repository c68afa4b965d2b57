import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import card from '../components/page/card.module.css';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { Section } from '../components/page/section.tsx';
import { TableSkeleton } from '../components/table/table-skeleton.tsx';
import { useLogInWays } from '../session/single-sign-on.tsx';
import { t } from '../texts/texts.ts';
import { AuthenticatorCard } from './authenticator-card.tsx';
import { NameCard } from './name-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { accountQuery } from './queries.ts';
import { SessionsCard } from './sessions-card.tsx';

/** What somebody changes of their own account. */
export default function AccountPage() {
  const { data, error, refetch } = useQuery(accountQuery);
  const ways = useLogInWays();
  return (
    <>
      <PageHeader title={t.account.title} note={data?.account.email} />
      {error && <LoadError error={error} onRetry={refetch} />}
      {!data && !error && <TableSkeleton rows={4} />}
      {data && (
        <div className={card.stack}>
          <NameCard name={data.account.name} />
          {ways && !ways.password && <SignOnOnly label={ways.oidc?.label ?? t.account.singleSignOn} />}
          {ways?.password && (
            <>
              <PasswordCard email={data.account.email} hasPassword={data.hasPassword} />
              <PasskeysCard {...data} />
              <AuthenticatorCard isOn={data.totp} codesLeft={data.recoveryCodes} />
            </>
          )}
          <SessionsCard />
        </div>
      )}
    </>
  );
}

/** Passwords, passkeys and authenticator apps log nobody in. */
function SignOnOnly({ label }: { label: string }) {
  return (
    <Section id="account-log-in" title={t.account.logIn}>
      <Text>{t.account.logInBy(label)}</Text>
    </Section>
  );
}
