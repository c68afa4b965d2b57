import { Anchor, Text, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../components/form.tsx';
import { SecretText } from '../components/one-time-secret.tsx';
import { LogInError, useCountdown } from '../session/log-in-error.tsx';
import { t } from '../texts/texts.ts';

interface AddAuthenticatorProps {
  secret: string;
  /** The `otpauth:` link. */
  uri: string;
  confirm: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending' | 'error'>;
  onCancel: () => void;
}

/** Shows the secret of a new authenticator app, and asks for its first code. */
export function AddAuthenticator({ secret, uri, confirm, onCancel }: AddAuthenticatorProps) {
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
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <LogInError error={confirm.error} secondsLeft={secondsLeft} wrong={t.account.logInAgain} />
    </DialogForm>
  );
}
