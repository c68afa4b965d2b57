import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { Refusal } from '../api/call.ts';
import { duration } from '../components/time.tsx';
import { CookieRefused, useLogIn } from './session.ts';

/** @param sourceAppId filled in beforehand, for a session that ended */
export function LogInForm({ sourceAppId = '' }: { sourceAppId?: string }) {
  const logIn = useLogIn();
  const [appId, setAppId] = useState(sourceAppId);
  const [password, setPassword] = useState('');
  const wait = useWait(logIn.error);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    logIn.mutate({ sourceAppId: appId.trim(), password }, { onError: () => setPassword('') });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="App id"
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
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
        {logIn.error && (
          <Alert color="red" variant="light" role="alert">
            {wait > 0 ? `Too many failed log-ins. Try again in ${duration(wait)}.` : reason(logIn.error)}
          </Alert>
        )}
        <Button type="submit" loading={logIn.isPending} disabled={wait > 0} fullWidth>
          Log in
        </Button>
      </Stack>
    </form>
  );
}

function reason(error: Error): string {
  if (error instanceof CookieRefused) {
    return `${error.message}. Allow cookies for this page; in production it has to be opened by https://.`;
  }
  if (!(error instanceof Refusal)) return `${error.message}. Check your connection and try again.`;
  if (error.status === 401) return 'App id and password do not match. Check both and try again.';
  if (error.status === 429) return 'You can try again now.';
  const [issue] = error.issues;
  if (issue?.path === 'sourceAppId') return `The app id ${issue.message}.`;
  if (issue?.path === 'password') return `The password ${issue.message}.`;
  return error.message;
}

/** The seconds that are left of a refusal's wait, counting down. */
function useWait(error: Error | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const seconds = error instanceof Refusal && error.status === 429 ? (error.retryAfter ?? 0) : 0;
    const until = Date.now() + seconds * 1000;
    setLeft(seconds);
    if (seconds === 0) return;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000))), 1000);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}
