import { Alert, Button, Loader, Stack, Text, TextInput } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, hasStatus, issueAt } from '../api/call.ts';
import type { Account, InvitationPreview, LogInWays, SecondFactorKind } from '../api/endpoints.ts';
import { inputProps } from '../components/form/input.ts';
import { LoadError } from '../components/page/load-error.tsx';
import { AccountLogIn, EmailInput } from '../session/account-log-in.tsx';
import { LogInError } from '../session/log-in-error.tsx';
import { supportsPasskeys } from '../session/passkeys.ts';
import { SecondFactor } from '../session/second-factor.tsx';
import { useEntry } from '../session/session.ts';
import { SignOnButton, useLogInWays } from '../session/single-sign-on.tsx';
import { t } from '../texts/first-texts.ts';
import classes from './entrance.module.css';
import { Gone, isGone, LinkPage, useOpenDashboard } from './entrance-pages.tsx';
import { NewPasswordForm } from './new-password-form.tsx';
import { PasskeyStep } from './passkey-step.tsx';
import { useToken } from './token.ts';

/** Shows what an invitation gives, and accepts it with a new account or the one of the email. */
export default function InvitationPage() {
  const token = useToken();
  return (
    <LinkPage key={token} title={t.entrance.invitedTitle} token={token}>
      <Invitation token={token} />
    </LinkPage>
  );
}

// Both queries are static: an acceptance invalidates all others, and it uses the invitation up.

const offerQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call('POST /auth/invitations/preview', { body: { token }, signal }),
    staleTime: 'static',
    gcTime: 0,
  });

/** The account that is logged in; null without one, also for the log-in of an app. */
const visitorQuery = queryOptions({
  queryKey: ['invited-as'],
  queryFn: async ({ signal }): Promise<Account | null> => {
    try {
      const session = await call('GET /auth/session', { signal });
      return 'account' in session ? session.account : null;
    } catch (error) {
      if (hasStatus(error, 401)) return null;
      throw error;
    }
  },
  staleTime: 'static',
  gcTime: 0,
});

function Invitation({ token }: { token: string }) {
  const offer = useQuery(offerQuery(token));
  const visitor = useQuery(visitorQuery);
  const ways = useLogInWays();
  const refetch = () => Promise.all([offer.refetch(), visitor.refetch()]);
  if (isGone(offer.error)) return <Gone />;
  const error = offer.error ?? visitor.error;
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (!offer.data || visitor.data === undefined || !ways) {
    return <Loader mx="auto" display="block" aria-label={t.entrance.loading} />;
  }
  return <Offered token={token} offer={offer.data} visitor={visitor.data} ways={ways} onStale={refetch} />;
}

/** What is sent with the acceptance. The name of an account stays as it is. */
interface Given {
  name: string;
  email?: string;
  password?: string;
}

interface OfferedProps {
  token: string;
  offer: InvitationPreview;
  visitor: Account | null;
  ways: LogInWays;
  /** Is called when the email got an account, or its session ended, meanwhile. */
  onStale: () => Promise<unknown>;
}

function Offered({ token, offer, visitor, ways, onStale }: OfferedProps) {
  const client = useQueryClient();
  const isFirst = offer.email === undefined;
  const open = useOpenDashboard(isFirst ? '/new-form' : '/');
  const [knownEmail, setKnownEmail] = useState(offer.hasAccount ? offer.email : undefined);
  const [factors, setFactors] = useState<readonly SecondFactorKind[]>();
  const [addsPasskey, setAddsPasskey] = useState(false);
  const accept = useEntry((body: Given) => call('POST /auth/invitations/accept', { body: { token, ...body } }));
  const send = (body: Given, next = open): void =>
    accept.mutate(body, {
      onSuccess: ({ second }) => (second ? setFactors(second) : next()),
      onError: (error) => {
        if (!hasStatus(error, 403)) return;
        setKnownEmail(body.email ?? offer.email);
        void onStale();
      },
    });
  const acceptAs = ({ name, email }: Account): void => send({ name, ...(isFirst && { email }) });
  const acceptAfterLogIn = async (): Promise<void> => {
    // The page shows an error of this query.
    const account = await client.fetchQuery({ ...visitorQuery, staleTime: 0 }).catch(() => null);
    if (account && (isFirst || account.email === offer.email)) acceptAs(account);
  };
  const pending = accept.isPending;
  if (isGone(accept.error)) return <Gone />;
  if (addsPasskey) return <PasskeyStep onDone={open} />;
  if (factors) return <SecondFactor factors={factors} onDone={open} onBack={() => setFactors(undefined)} />;
  return (
    <Stack gap="lg">
      <Offer offer={offer} />
      {visitor && !isFirst && visitor.email !== offer.email && <OtherAccount visitor={visitor} />}
      {visitor && (isFirst || visitor.email === offer.email) && (
        <Accept visitor={visitor} isFirst={isFirst} pending={pending} error={accept.error} onAccept={acceptAs} />
      )}
      {/* A sign-on accepts the invitations of its email. */}
      {!visitor && ways.oidc && (
        <div>
          <SignOnButton ways={ways} returnTo="/dashboard" />
        </div>
      )}
      {!visitor && ways.password && knownEmail !== undefined && (
        <>
          <Text role="status" className="breaks">
            {t.entrance.hasAccount(knownEmail)}
          </Text>
          <AccountLogIn email={knownEmail} onDone={() => void acceptAfterLogIn()} />
        </>
      )}
      {!visitor && ways.password && knownEmail === undefined && (
        <NewAccount
          email={offer.email}
          pending={pending}
          error={accept.error}
          onSubmit={(given) => send(given, given.password === undefined ? () => setAddsPasskey(true) : open)}
        />
      )}
    </Stack>
  );
}

/** Which app and role an invitation gives, and to whom. */
function Offer({ offer: { email, sourceAppId, appName, role, admin, invitedBy } }: { offer: InvitationPreview }) {
  const given = role ? t.entrance.roles[role] : undefined;
  return (
    <dl className={classes.offer} aria-label={t.entrance.invitation}>
      {sourceAppId && (
        <>
          <dt>{t.entrance.app}</dt>
          <dd>
            <strong>{appName ?? sourceAppId}</strong>
          </dd>
        </>
      )}
      <dt>{t.entrance.role}</dt>
      <dd>
        <strong>{admin ? t.entrance.administrator : (given?.name ?? t.entrance.member)}</strong>
        <Text c="dimmed">{admin ? t.entrance.administratorMeaning : (given?.meaning ?? t.entrance.memberMeaning)}</Text>
      </dd>
      {invitedBy && (
        <>
          <dt>{t.entrance.invitedBy}</dt>
          <dd className="breaks">{invitedBy}</dd>
        </>
      )}
      {email && (
        <>
          <dt>{t.entrance.for}</dt>
          <dd>{email}</dd>
        </>
      )}
    </dl>
  );
}

/** Ends the session in this browser. The page then asks for another way in. */
function useLogOutHere() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('POST /auth/logout'),
    onSuccess: async () => {
      await client.cancelQueries({ queryKey: visitorQuery.queryKey });
      const [own] = visitorQuery.queryKey;
      // Nothing of the session stays in memory.
      client.removeQueries({ predicate: ({ queryKey: [name] }) => name !== own && name !== 'invitation' });
      client.setQueryData(visitorQuery.queryKey, null);
    },
  });
}

function OtherAccount({ visitor }: { visitor: Account }) {
  const logOut = useLogOutHere();
  return (
    <>
      <Alert color="yellow" role="status" title={t.entrance.otherAccountTitle} className="breaks">
        {t.entrance.otherAccountNote(visitor.email)}
      </Alert>
      <LogInError error={logOut.error} secondsLeft={0} wrong="" />
      <Button loading={logOut.isPending} onClick={() => logOut.mutate()}>
        {t.entrance.logOutAndContinue}
      </Button>
    </>
  );
}

interface AcceptProps {
  visitor: Account;
  /** Any account may use the link to the first admin account. */
  isFirst: boolean;
  pending: boolean;
  error: Error | null;
  onAccept: (account: Account) => void;
}

function Accept({ visitor, isFirst, pending, error, onAccept }: AcceptProps) {
  const logOut = useLogOutHere();
  return (
    <Stack gap="md">
      <Text className="breaks">{t.entrance.loggedInAs(visitor.name, visitor.email)}</Text>
      <LogInError error={error ?? logOut.error} secondsLeft={0} wrong={t.entrance.logInAgain} />
      <Button autoFocus loading={pending} onClick={() => onAccept(visitor)}>
        {t.entrance.accept}
      </Button>
      {isFirst && (
        <Button variant="default" loading={logOut.isPending} onClick={() => logOut.mutate()}>
          {t.entrance.useOtherAccount}
        </Button>
      )}
    </Stack>
  );
}

interface NewAccountProps {
  /** Undefined: the invitation names none. */
  email: string | undefined;
  pending: boolean;
  error: Error | null;
  onSubmit: (given: Given) => void;
}

function NewAccount({ email: invited, pending, error, onSubmit }: NewAccountProps) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const isFirst = invited === undefined;
  const emailIssue = issueAt(error, 'email');
  const nameIssue = issueAt(error, 'name');
  const isComplete = name.trim() !== '' && (!isFirst || email.trim() !== '');
  const typed = { name: name.trim(), ...(isFirst && { email: email.trim() }) };
  return (
    <NewPasswordForm
      action={t.entrance.createAccount}
      pending={pending}
      error={emailIssue || nameIssue ? null : error}
      isComplete={isComplete}
      onSubmit={(password) => onSubmit({ ...typed, password })}
      {...(supportsPasskeys() && {
        instead: (
          <Button variant="default" disabled={!isComplete || pending} onClick={() => onSubmit(typed)}>
            {t.entrance.usePasskey}
          </Button>
        ),
      })}
    >
      {isFirst ? (
        <EmailInput
          value={email}
          onChange={setEmail}
          isFirst
          error={emailIssue && t.session.problems.email(emailIssue)}
        />
      ) : (
        // Password managers save the password with this name.
        <input type="email" name="email" autoComplete="username" value={invited} readOnly hidden />
      )}
      <TextInput
        label={t.entrance.yourName}
        name="name"
        autoComplete="name"
        description={t.entrance.yourNameNote}
        required
        withAsterisk={false}
        autoFocus={!isFirst}
        maxLength={100}
        {...inputProps(name, setName)}
        error={nameIssue && t.session.problems.name(nameIssue)}
      />
    </NewPasswordForm>
  );
}
