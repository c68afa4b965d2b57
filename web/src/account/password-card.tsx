import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { issueAt } from '../api/call.ts';
import { Form } from '../components/form/form.tsx';
import { inputProps } from '../components/form/input.ts';
import { Problem } from '../components/form/problem.tsx';
import { Section } from '../components/page/section.tsx';
import { useUnsaved } from '../drafts/unsaved.ts';
import { t } from '../texts/texts.ts';
import { useAccountChanges } from './queries.ts';

export function PasswordCard({ email, hasPassword }: { email: string; hasPassword: boolean }) {
  const { replacePassword } = useAccountChanges();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  useUnsaved(() => current !== '' || password !== '');
  const issue = issueAt(replacePassword.error, 'password');
  const submit = (): void =>
    replacePassword.mutate(
      { password, ...(hasPassword && { current }) },
      {
        onSuccess: () => {
          setCurrent('');
          setPassword('');
          notifications.show({ title: t.account.passwordReplaced, message: t.account.otherSessionsEnded });
        },
      },
    );
  return (
    <Section id="account-password" title={t.account.password}>
      <Text c="dimmed">{hasPassword ? t.account.passwordNote : t.account.noPassword}</Text>
      <Form onSubmit={submit} noValidate>
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <Stack gap="sm" maw={420}>
          {hasPassword && (
            <PasswordInput
              label={t.account.currentPassword}
              autoComplete="current-password"
              {...inputProps(current, setCurrent)}
              visibilityToggleButtonProps={{ 'aria-label': t.account.showCurrentPassword }}
            />
          )}
          <PasswordInput
            label={t.account.newPassword}
            description={t.account.passwordRule}
            autoComplete="new-password"
            {...inputProps(password, setPassword)}
            error={issue && t.account.passwordProblem(issue)}
            visibilityToggleButtonProps={{ 'aria-label': t.account.showNewPassword }}
          />
          <div>
            <Button
              type="submit"
              variant="default"
              loading={replacePassword.isPending}
              disabled={password === '' || (hasPassword && current === '')}
            >
              {t.account.replacePassword}
            </Button>
          </div>
        </Stack>
      </Form>
      <Problem error={issue ? null : replacePassword.error} />
    </Section>
  );
}
