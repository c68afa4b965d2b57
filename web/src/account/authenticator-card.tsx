import { Anchor, Badge, Button, Group, Text, TextInput } from '@mantine/core';
import { type UseMutationResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SecretDialog, SecretText } from '../components/content/one-time-secret.tsx';
import { ConfirmRemoval } from '../components/form/confirm-dialog.tsx';
import { DialogForm } from '../components/form/form.tsx';
import { inputProps } from '../components/form/input.ts';
import { Problem } from '../components/form/problem.tsx';
import { Section } from '../components/page/section.tsx';
import { LogInError, useCountdown } from '../session/log-in-error.tsx';
import { t } from '../texts/texts.ts';
import { QrCode } from './qr-code.tsx';
import { passkeysQuery, useAccountChanges } from './queries.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

/** The second factor of the account. */
export function AuthenticatorCard({ isOn, codesLeft }: { isOn: boolean; codesLeft: number }) {
  const { beginTotp, confirmTotp, removeTotp } = useAccountChanges();
  const { data: passkeys = [] } = useQuery(passkeysQuery);
  const hasPasskeys = passkeys.length > 0;
  const [removing, setRemoving] = useState(false);
  const codes = confirmTotp.data?.recoveryCodes;
  const close = (): void => {
    beginTotp.reset();
    if (!confirmTotp.isPending) confirmTotp.reset();
  };
  return (
    <Section id="account-authenticator" title={t.account.authenticator}>
      <Group gap="sm">
        <Badge color={isOn ? 'green' : 'gray'} size="lg">
          {isOn ? t.account.on : t.account.off}
        </Badge>
        <Text c="dimmed">
          {isOn ? `${t.account.authenticatorOn} ${t.account.codesLeft(codesLeft)}` : t.account.authenticatorOff}
        </Text>
      </Group>
      <div>
        {isOn ? (
          <Button variant="default" onClick={() => setRemoving(true)}>
            {t.account.removeAuthenticator}
          </Button>
        ) : (
          <Button variant="default" loading={beginTotp.isPending} onClick={() => beginTotp.mutate()}>
            {t.account.addAuthenticator}
          </Button>
        )}
      </div>
      <Problem error={beginTotp.error} />
      <SecretDialog
        opened={beginTotp.data !== undefined}
        onClose={close}
        title={codes ? t.account.saveCodes : t.account.addAuthenticatorTitle}
        isShown={codes !== undefined}
      >
        {codes && <RecoveryCodes codes={codes} onClose={close} />}
        {!codes && beginTotp.data && <AddAuthenticator {...beginTotp.data} confirm={confirmTotp} onCancel={close} />}
      </SecretDialog>
      <ConfirmRemoval
        id={removing ? 'totp' : undefined}
        title={t.account.removeAuthenticatorTitle}
        action={t.common.remove}
        remove={removeTotp}
        onClose={() => setRemoving(false)}
      >
        <Text>{hasPasskeys ? t.account.passkeysStay : t.account.passwordAlone}</Text>
      </ConfirmRemoval>
    </Section>
  );
}

interface AddAuthenticatorProps {
  secret: string;
  /** The `otpauth:` link. */
  uri: string;
  confirm: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending' | 'error'>;
  onCancel: () => void;
}

/** Shows the secret of a new authenticator app, and asks for its first code. */
function AddAuthenticator({ secret, uri, confirm, onCancel }: AddAuthenticatorProps) {
  const [code, setCode] = useState('');
  const secondsLeft = useCountdown(confirm.error);
  return (
    <DialogForm
      action={t.account.turnOn}
      sending={confirm}
      error={null}
      disabled={code.trim() === '' || secondsLeft > 0}
      onSubmit={() => confirm.mutate(code.replace(/\s/g, ''))}
      onCancel={onCancel}
    >
      <Text>{t.account.scan}</Text>
      <QrCode text={uri} label={t.account.qrCode} />
      <Text>
        {t.account.howToAdd(
          <Anchor href={uri} underline="always">
            {t.account.openApp}
          </Anchor>,
        )}
      </Text>
      <SecretText text={secret} name="key" shown={secret.match(/.{1,4}/g)?.join(' ')} />
      <TextInput
        label={t.account.code}
        description={t.account.codeNote}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        withAsterisk={false}
        data-autofocus
        maxLength={20}
        {...inputProps(code, setCode)}
      />
      <LogInError error={confirm.error} secondsLeft={secondsLeft} wrong={t.account.logInAgain} />
    </DialogForm>
  );
}
