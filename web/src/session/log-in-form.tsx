import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { ApiError } from '../api/call.ts';
import { duration } from '../components/time.tsx';
import { CookieRejected, useLogIn } from './session.ts';

/** @param sourceAppId initial app ID, for example that of a session that has ended */
export function LogInForm({ sourceAppId = '' }: { sourceAppId?: string }) {
  const logIn = useLogIn();
  const [appId, setAppId] = useState(sourceAppId);
  const [password, setPassword] = useState('');
  const secondsLeft = useCountdown(logIn.error);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    logIn.mutate({ sourceAppId: appId.trim(), password }, { onError: () => setPassword('') });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="App ID"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          data-autofocus={sourceAppId === '' || undefined}
          autoFocus={sourceAppId === ''}
          value={appId}
          onChange={(event) => setAppId(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus={sourceAppId !== '' || undefined}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
        />
        {logIn.error && (
          <Alert color="red" variant="light" role="alert">
            {secondsLeft > 0
              ? `Too many failed logins. Try again in ${duration(secondsLeft)}.`
              : errorText(logIn.error)}
          </Alert>
        )}
        <Button type="submit" loading={logIn.isPending} disabled={secondsLeft > 0} fullWidth>
          Log in
        </Button>
      </Stack>
    </form>
  );
}

function errorText(error: Error): string {
  if (error instanceof CookieRejected) {
    return `${error.message}. Allow cookies for this site. In production, open the dashboard over HTTPS.`;
  }
  if (!(error instanceof ApiError)) return `${error.message}. Check your connection and try again.`;
  if (error.status === 401) return 'Wrong app ID or password.';
  if (error.status === 429) return 'You can try again now.';
  const [issue] = error.issues;
  if (issue?.path === 'sourceAppId') return `The app ID ${issue.message}.`;
  if (issue?.path === 'password') return `The password ${issue.message}.`;
  return error.message;
}

/** Counts down the seconds of `Retry-After` after a 429. */
function useCountdown(error: Error | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const seconds = error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? 0) : 0;
    const until = Date.now() + seconds * 1000;
    setLeft(seconds);
    if (seconds === 0) return;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000))), 1000);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}
