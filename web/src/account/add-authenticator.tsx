import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormActions } from '../components/form-actions.tsx';
import { SecretText } from '../components/one-time-secret.tsx';
import { LogInError, useCountdown } from '../session/log-in-error.tsx';
import { t } from '../texts/texts.ts';

interface AddAuthenticatorProps {
  secret: string;
  /** The `otpauth:` link. */
  uri: string;
  pending: boolean;
  error: Error | null;
  onSubmit: (code: string) => void;
  onCancel: () => void;
}

/** Shows the secret of a new authenticator app, and asks for its first code. */
export function AddAuthenticator({ secret, uri, pending, error, onSubmit, onCancel }: AddAuthenticatorProps) {
  const [code, setCode] = useState('');
  const secondsLeft = useCountdown(error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit(code.replace(/\s/g, ''));
  };
  return (
    <form onSubmit={submit}>
      <Stack>
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
        <LogInError error={error} secondsLeft={secondsLeft} wrong={t.account.logInAgain} />
        <FormActions
          action={t.account.turnOn}
          loading={pending}
          disabled={code.trim() === '' || secondsLeft > 0}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
