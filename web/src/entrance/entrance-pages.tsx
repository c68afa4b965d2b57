import { Alert, Button, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { call, hasStatus } from '../api/call.ts';
import type { SecondFactorKind } from '../api/endpoints.ts';
import { LogInError, useCountdown } from '../session/log-in-error.tsx';
import { useWay } from '../session/log-in-page.tsx';
import { SecondFactor } from '../session/second-factor.tsx';
import { useEntry } from '../session/session.ts';
import { t } from '../texts/first-texts.ts';
import { Entrance } from './entrance.tsx';
import { NewPasswordForm } from './new-password-form.tsx';
import { forgetToken, keepToken, useToken } from './token.ts';

/** Opens a page of the dashboard after a way in. */
export function useOpenDashboard(path = '/'): () => void {
  const [, navigate] = useLocation();
  const [, setWay] = useWay();
  return () => {
    forgetToken();
    setWay('account');
    navigate(path, { replace: true });
  };
}

/** Chooses a new password with a link. */
export function ResetPage() {
  const token = useToken();
  return (
    <LinkPage key={token} title={t.entrance.resetTitle} token={token}>
      <Reset token={token} />
    </LinkPage>
  );
}

function Reset({ token }: { token: string }) {
  const open = useOpenDashboard();
  const [factors, setFactors] = useState<readonly SecondFactorKind[]>();
  const reset = useEntry((password: string) => call('POST /auth/password/reset', { body: { token, password } }));
  if (factors) return <SecondFactor factors={factors} onDone={open} onBack={open} />;
  if (isGone(reset.error)) return <Gone />;
  return (
    <NewPasswordForm
      action={t.entrance.saveAndLogIn}
      pending={reset.isPending}
      error={reset.error}
      onSubmit={(password) =>
        reset.mutate(password, { onSuccess: ({ second }) => (second ? setFactors(second) : open()) })
      }
    >
      <Text>{t.entrance.resetNote}</Text>
    </NewPasswordForm>
  );
}

/** Logs in with a link of the host. A press of a button uses it, so that no preview does. */
export function LogInLinkPage() {
  const token = useToken();
  return (
    <LinkPage key={token} title={t.entrance.linkTitle} token={token}>
      <LogInByLink token={token} />
    </LinkPage>
  );
}

function LogInByLink({ token }: { token: string }) {
  const open = useOpenDashboard();
  const logIn = useEntry(() => call('POST /auth/login/link', { body: { token } }));
  const secondsLeft = useCountdown(logIn.error);
  if (isGone(logIn.error)) return <Gone />;
  return (
    <Stack gap="md">
      <Text>{t.entrance.linkNote}</Text>
      <LogInError error={logIn.error} secondsLeft={secondsLeft} wrong={t.entrance.invalidLink} />
      <Button
        autoFocus
        loading={logIn.isPending}
        disabled={secondsLeft > 0}
        onClick={() => logIn.mutate(undefined, { onSuccess: open })}
      >
        {t.session.logIn}
      </Button>
    </Stack>
  );
}

interface LinkPageProps {
  title: string;
  token: string;
  children: ReactNode;
}

/** A page that a link with a token opens. */
export function LinkPage({ title, token, children }: LinkPageProps) {
  return (
    <Entrance title={title} heading={title} onLanguage={keepToken}>
      {token === '' ? <NoToken /> : children}
    </Entrance>
  );
}

function NoToken() {
  return (
    <Stack gap="md">
      <Text>{t.entrance.noTokenNote}</Text>
      <ToLogIn />
    </Stack>
  );
}

export const isGone = (error: Error | null): boolean => hasStatus(error, 410);

/** Explains a link that does not work any more. */
export function Gone() {
  return (
    <Stack gap="md">
      <Alert color="red" role="alert" title={t.entrance.goneTitle}>
        {t.entrance.goneNote}
      </Alert>
      <ToLogIn />
    </Stack>
  );
}

function ToLogIn() {
  const [, navigate] = useLocation();
  return (
    <Button
      variant="default"
      onClick={() => {
        forgetToken();
        navigate('/', { replace: true });
      }}
    >
      {t.entrance.goToDashboard}
    </Button>
  );
}
