import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../components/form/form.tsx';
import { AS_TYPED, inputProps } from '../components/form/input.ts';
import { t } from '../texts/first-texts.ts';
import { LogInError, useCountdown } from './log-in-error.tsx';
import { useLogIn } from './session.ts';

/** @param sourceAppId initial app ID, for example that of a session that has ended */
export function LogInForm({ sourceAppId = '', onDone }: { sourceAppId?: string; onDone?: () => void }) {
  const logIn = useLogIn();
  const [appId, setAppId] = useState(sourceAppId);
  const [password, setPassword] = useState('');
  const secondsLeft = useCountdown(logIn.error);

  const submit = (): void => {
    logIn.mutate(
      { sourceAppId: appId.trim(), password },
      { onError: () => setPassword(''), ...(onDone && { onSuccess: onDone }) },
    );
  };
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t.session.appId}
          name="username"
          autoComplete="username"
          {...AS_TYPED}
          required
          withAsterisk={false}
          data-autofocus={sourceAppId === '' || undefined}
          autoFocus={sourceAppId === ''}
          {...inputProps(appId, setAppId)}
        />
        <CurrentPassword value={password} onChange={setPassword} isFirst={sourceAppId !== ''} />
        <LogInError error={logIn.error} secondsLeft={secondsLeft} wrong={t.session.wrongAppIdOrPassword} />
        <Button type="submit" loading={logIn.isPending} disabled={secondsLeft > 0} fullWidth>
          {t.session.logIn}
        </Button>
      </Stack>
    </Form>
  );
}

interface CurrentPasswordProps {
  label?: string;
  value: string;
  onChange: (password: string) => void;
  /** Whether it gets the focus. */
  isFirst: boolean;
}

export function CurrentPassword({ label = t.session.password, value, onChange, isFirst }: CurrentPasswordProps) {
  return (
    <PasswordInput
      label={label}
      name="password"
      autoComplete="current-password"
      required
      withAsterisk={false}
      data-autofocus={isFirst || undefined}
      autoFocus={isFirst}
      {...inputProps(value, onChange)}
      visibilityToggleButtonProps={{ 'aria-label': t.session.showPassword }}
    />
  );
}
