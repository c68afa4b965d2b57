import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { call } from '../api/call.ts';
import type { SecondFactorKind } from '../api/endpoints.ts';
import { Form } from '../components/form/form.tsx';
import { AS_TYPED, inputProps } from '../components/form/input.ts';
import { t } from '../texts/first-texts.ts';
import { LogInError, useCountdown } from './log-in-error.tsx';
import { CurrentPassword } from './log-in-form.tsx';
import { PasskeyLogIn } from './passkey-log-in.tsx';
import { useLogIn } from './session.ts';

const SecondFactor = lazy(() => import('./second-factor.tsx').then((step) => ({ default: step.SecondFactor })));

interface AccountLogInProps {
  /** Initial email, for example that of a session that has ended. */
  email?: string | undefined;
  /** Is called when the session has begun. */
  onDone?: () => void;
}

/** The log-in of an account: a passkey, or the password and the second factor if it has one. */
export function AccountLogIn({ email: initial = '', onDone }: AccountLogInProps) {
  const [email, setEmail] = useState(initial);
  const [factors, setFactors] = useState<readonly SecondFactorKind[]>();
  const [isForgotten, setForgotten] = useState(false);
  if (factors) {
    return (
      <Suspense>
        <SecondFactor factors={factors} {...(onDone && { onDone })} onBack={() => setFactors(undefined)} />
      </Suspense>
    );
  }
  if (isForgotten) return <ForgottenPassword email={email} onBack={() => setForgotten(false)} />;
  return (
    <>
      <PasswordStep
        email={email}
        onEmail={setEmail}
        onSecond={setFactors}
        onForgotten={() => setForgotten(true)}
        {...(onDone && { onDone })}
      />
      <PasskeyLogIn {...(onDone && { onDone })} />
    </>
  );
}

interface PasswordStepProps {
  email: string;
  onEmail: (email: string) => void;
  onSecond: (factors: readonly SecondFactorKind[]) => void;
  onForgotten: () => void;
  onDone?: () => void;
}

function PasswordStep({ email, onEmail, onSecond, onForgotten, onDone }: PasswordStepProps) {
  const logIn = useLogIn();
  const [password, setPassword] = useState('');
  const [knowsEmail] = useState(email !== '');
  const secondsLeft = useCountdown(logIn.error);
  const submit = (): void => {
    logIn.mutate(
      { email: email.trim(), password },
      { onError: () => setPassword(''), onSuccess: ({ second }) => (second ? onSecond(second) : onDone?.()) },
    );
  };
  return (
    <Form onSubmit={submit} noValidate>
      <Stack gap="md">
        <EmailInput value={email} onChange={onEmail} isFirst={!knowsEmail} />
        <CurrentPassword value={password} onChange={setPassword} isFirst={knowsEmail} />
        <LogInError error={logIn.error} secondsLeft={secondsLeft} wrong={t.session.wrongEmailOrPassword} />
        <Button
          type="submit"
          loading={logIn.isPending}
          disabled={secondsLeft > 0 || email.trim() === '' || password === ''}
          fullWidth
        >
          {t.session.logIn}
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={onForgotten}>
          {t.session.forgotPassword}
        </Anchor>
      </Stack>
    </Form>
  );
}

interface EmailInputProps {
  value: string;
  onChange: (email: string) => void;
  isFirst?: boolean;
  error?: string | undefined;
  autoComplete?: string;
}

export function EmailInput({ value, onChange, isFirst = false, error, autoComplete = 'username' }: EmailInputProps) {
  return (
    <TextInput
      label={t.common.email}
      name="email"
      type="email"
      autoComplete={autoComplete}
      {...AS_TYPED}
      required
      withAsterisk={false}
      data-autofocus={isFirst || undefined}
      autoFocus={isFirst}
      {...inputProps(value, onChange)}
      error={error}
    />
  );
}

/** Asks for an email with a link to choose a new password. */
function ForgottenPassword({ email: initial, onBack }: { email: string; onBack: () => void }) {
  const [email, setEmail] = useState(initial);
  const ask = useMutation({ mutationFn: () => call('POST /auth/password/forgot', { body: { email: email.trim() } }) });
  const secondsLeft = useCountdown(ask.error);
  if (ask.data) {
    return (
      <Stack gap="md">
        <Text role="status" className="breaks">
          {t.session.emailAsked(email.trim())}
        </Text>
        <Button variant="default" onClick={onBack}>
          {t.session.backToLogIn}
        </Button>
      </Stack>
    );
  }
  return (
    <Form onSubmit={() => ask.mutate()} noValidate>
      <Stack gap="md">
        <Text>{t.session.forgotNote}</Text>
        <EmailInput value={email} onChange={setEmail} isFirst />
        <LogInError error={ask.error} secondsLeft={secondsLeft} wrong="" />
        <Group grow>
          <Button variant="default" onClick={onBack}>
            {t.common.back}
          </Button>
          <Button type="submit" loading={ask.isPending} disabled={email.trim() === ''}>
            {t.session.sendEmail}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
