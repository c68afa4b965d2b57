import { Alert, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call } from '../api/call.ts';
import { AccountLogIn, EmailInput } from '../session/account-log-in.tsx';
import { SecondFactor } from '../session/second-factor.tsx';
import { useEntry } from '../session/session.ts';
import { Gone, isGone, LinkPage, useOpenDashboard } from './entrance-pages.tsx';
import { issueAt, NewPasswordForm } from './new-password-form.tsx';
import { useToken } from './token.ts';

/** Accepts an invitation: creates an account, or adds the membership to the one of the email. */
export function InvitationPage() {
  const token = useToken();
  return (
    <LinkPage key={token} title="You are invited" token={token}>
      <Invitation token={token} />
    </LinkPage>
  );
}

interface Given {
  name: string;
  password: string;
  email?: string;
}

function Invitation({ token }: { token: string }) {
  const open = useOpenDashboard();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [asksEmail, setAsksEmail] = useState(false);
  const [step, setStep] = useState<'account' | 'log-in' | 'second'>('account');
  const [given, setGiven] = useState<Given>();
  const accept = useEntry((body: Given) => call('POST /auth/invitations/accept', { body: { token, ...body } }));
  const send = (body: Given): void => {
    setGiven(body);
    accept.mutate(body, {
      onSuccess: (session) => (session ? open() : setStep('second')),
      onError: (error) => {
        if (issueAt(error, 'email') !== undefined) setAsksEmail(true);
        if (error instanceof ApiError && error.status === 403) setStep('log-in');
      },
    });
  };
  if (isGone(accept.error)) return <Gone />;
  if (step === 'second') return <SecondFactor onDone={open} onBack={() => setStep('account')} />;
  if (step === 'log-in' && given) {
    return (
      <Stack gap="md">
        <Alert variant="light" role="status" title="This email has an account">
          Log in with it to accept the invitation. Your name and your password stay as they are.
        </Alert>
        <AccountLogIn {...(given.email !== undefined && { email: given.email })} onDone={() => send(given)} />
      </Stack>
    );
  }
  const emailIssue = email !== '' && accept.variables?.email !== undefined ? issueAt(accept.error, 'email') : undefined;
  const isFirstAsk = asksEmail && accept.variables?.email === undefined;
  return (
    <NewPasswordForm
      action="Create account"
      pending={accept.isPending}
      error={isFirstAsk || emailIssue || issueAt(accept.error, 'name') ? null : accept.error}
      isComplete={name.trim() !== '' && (!asksEmail || email.trim() !== '')}
      onSubmit={(password) => send({ name: name.trim(), password, ...(asksEmail && { email: email.trim() }) })}
    >
      <LoggedInNote />
      {asksEmail && (
        <>
          {isFirstAsk && (
            <Text size="sm" role="status">
              This invitation names no email. Enter yours, with which you will log in.
            </Text>
          )}
          <EmailInput value={email} onChange={setEmail} isFirst error={emailIssue && `The email ${emailIssue}.`} />
        </>
      )}
      <TextInput
        label="Your name"
        name="name"
        autoComplete="name"
        description="The members of your app see it."
        required
        withAsterisk={false}
        autoFocus
        maxLength={100}
        value={name}
        error={issueAt(accept.error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </NewPasswordForm>
  );
}

/** Somebody who is logged in may be the invited person. */
function LoggedInNote() {
  const { data } = useQuery({
    queryKey: ['invited-as'],
    queryFn: ({ signal }) => call('GET /auth/session', { signal }).catch(() => null),
    gcTime: 0,
  });
  if (!data || !('account' in data)) return null;
  return (
    <Text size="sm" className="breaks">
      You are logged in as <strong>{data.account.email}</strong>. If the invitation is for this email, your account
      gains the app, and its name and password stay.
    </Text>
  );
}
