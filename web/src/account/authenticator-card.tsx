import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmRemoval } from '../components/confirm-dialog.tsx';
import { count } from '../components/count.ts';
import { SecretDialog } from '../components/one-time-secret.tsx';
import { Problem } from '../components/problem.tsx';
import { AddAuthenticator } from './add-authenticator.tsx';
import { passkeysQuery, useAccountChanges } from './queries.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { Section } from './section.tsx';

/** The second factor of the account. */
export function AuthenticatorCard({ isOn, codesLeft }: { isOn: boolean; codesLeft: number }) {
  const { beginTotp, confirmTotp, removeTotp } = useAccountChanges();
  const { data: passkeys = [] } = useQuery(passkeysQuery);
  const hasPasskeys = passkeys.length > 0;
  const [removing, setRemoving] = useState(false);
  const codes = confirmTotp.data?.recoveryCodes;
  const close = (): void => {
    beginTotp.reset();
    confirmTotp.reset();
  };
  return (
    <Section id="account-authenticator" title="Authenticator app">
      <Group gap="sm">
        <Badge variant="light" color={isOn ? 'green' : 'gray'} tt="none" size="lg">
          {isOn ? 'On' : 'Off'}
        </Badge>
        <Text size="sm" c="dimmed">
          {isOn
            ? `A log-in also asks for a code. ${count(codesLeft, 'recovery code')} left.`
            : 'An app on your phone shows codes. With it, your password alone opens nothing.'}
        </Text>
      </Group>
      <div>
        {isOn ? (
          <Button variant="default" onClick={() => setRemoving(true)}>
            Remove authenticator app
          </Button>
        ) : (
          <Button variant="default" loading={beginTotp.isPending} onClick={() => beginTotp.mutate()}>
            Add authenticator app
          </Button>
        )}
      </div>
      <Problem error={beginTotp.error} />
      <SecretDialog
        opened={beginTotp.data !== undefined}
        onClose={close}
        title={codes ? 'Save your recovery codes' : 'Add an authenticator app'}
        isShown={codes !== undefined}
      >
        {codes && <RecoveryCodes codes={codes} onClose={close} />}
        {!codes && beginTotp.data && (
          <AddAuthenticator
            {...beginTotp.data}
            pending={confirmTotp.isPending}
            error={confirmTotp.error}
            onSubmit={confirmTotp.mutate}
            onCancel={close}
          />
        )}
      </SecretDialog>
      <ConfirmRemoval
        id={removing ? 'totp' : undefined}
        title="Remove the authenticator app?"
        action="Remove"
        remove={removeTotp}
        onClose={() => setRemoving(false)}
      >
        <Text size="sm">
          {hasPasskeys
            ? 'Your passkeys stay your second factor, and the recovery codes stay valid.'
            : 'Your password alone then opens your account. The recovery codes stop working.'}
        </Text>
      </ConfirmRemoval>
    </Section>
  );
}
