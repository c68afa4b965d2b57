import { Button, PasswordInput, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { issueAt } from '../api/call.ts';
import { Form } from '../components/form/form.tsx';
import { inputProps } from '../components/form/input.ts';
import { LogInError, useCountdown } from '../session/log-in-error.tsx';
import { t } from '../texts/first-texts.ts';

const MIN_LENGTH = 12;

interface NewPasswordFormProps {
  action: string;
  pending: boolean;
  error: Error | null;
  /** Whether the other inputs are filled in. */
  isComplete?: boolean;
  onSubmit: (password: string) => void;
  /** A way without a password, below the button. */
  instead?: ReactNode;
  /** Shown before the password. */
  children: ReactNode;
}

/** Asks for a new password once; it can be shown. */
export function NewPasswordForm(props: NewPasswordFormProps) {
  const { action, pending, error, isComplete = true, onSubmit, instead, children } = props;
  const [password, setPassword] = useState('');
  const secondsLeft = useCountdown(error);
  const issue = issueAt(error, 'password');
  return (
    <Form onSubmit={() => onSubmit(password)} noValidate>
      <Stack gap="md">
        {children}
        <PasswordInput
          label={t.entrance.newPassword}
          name="new-password"
          autoComplete="new-password"
          description={t.entrance.newPasswordNote(MIN_LENGTH)}
          required
          withAsterisk={false}
          {...inputProps(password, setPassword)}
          error={issue && t.session.problems.password(issue)}
          visibilityToggleButtonProps={{ 'aria-label': t.session.showPassword }}
        />
        {!issue && <LogInError error={error} secondsLeft={secondsLeft} wrong={t.entrance.logInAgain} />}
        <Button type="submit" loading={pending} disabled={!isComplete || password === '' || secondsLeft > 0}>
          {action}
        </Button>
        {instead}
      </Stack>
    </Form>
  );
}
