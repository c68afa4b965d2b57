import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { Problem } from '../components/problem.tsx';
import { issueAt } from '../entrance/new-password-form.tsx';
import { useAccountChanges } from './queries.ts';
import { Section } from './section.tsx';

export function PasswordCard({ email, hasPassword }: { email: string; hasPassword: boolean }) {
  const { replacePassword } = useAccountChanges();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const issue = issueAt(replacePassword.error, 'password');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    replacePassword.mutate(
      { password, ...(hasPassword && { current }) },
      {
        onSuccess: () => {
          setCurrent('');
          setPassword('');
          notifications.show({ title: 'Password replaced', message: 'All your other sessions have ended' });
        },
      },
    );
  };
  return (
    <Section id="account-password" title="Password">
      <Text size="sm" c="dimmed">
        {hasPassword
          ? 'All your other sessions end with the change.'
          : 'Your account has no password yet. With one you can log in on any device, and use your recovery codes.'}
      </Text>
      <form onSubmit={submit} noValidate>
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <Stack gap="sm" maw={420}>
          {hasPassword && (
            <PasswordInput
              label="Current password"
              autoComplete="current-password"
              value={current}
              onChange={(event) => setCurrent(event.currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': 'Show current password' }}
            />
          )}
          <PasswordInput
            label="New password"
            description="At least 12 characters."
            autoComplete="new-password"
            value={password}
            error={issue && `The password ${issue}.`}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show new password' }}
          />
          <div>
            <Button
              type="submit"
              variant="default"
              loading={replacePassword.isPending}
              disabled={password === '' || (hasPassword && current === '')}
            >
              Replace password
            </Button>
          </div>
        </Stack>
      </form>
      <Problem error={issue ? null : replacePassword.error} />
    </Section>
  );
}
