import { Alert, Button, Divider, Loader, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { deviceName } from '../account/device.ts';
import { RecoveryCodes } from '../account/recovery-codes.tsx';
import { ApiError, call } from '../api/call.ts';
import { errorText } from '../session/log-in-error.tsx';
import { createPasskey } from '../session/passkeys.ts';
import { t } from '../texts/first-texts.ts';
import { useNoReload } from './entrance.tsx';
import { NewPasswordForm } from './new-password-form.tsx';

/**
 * Gives an account that was created without a password its first passkey. Without one nothing opens
 * the account later, so this asks again or for a password.
 */
export function PasskeyStep({ onDone }: { onDone: () => void }) {
  useNoReload();
  const [choosesPassword, setChoosesPassword] = useState(false);
  const create = useMutation({
    mutationFn: async () => {
      const { hasPassword, recoveryCodes } = await call('GET /auth/account');
      // Somebody who had an account gains the membership, and nothing else changes.
      if (hasPassword || recoveryCodes > 0) return undefined;
      return createPasskey(deviceName(navigator.userAgent));
    },
    onSuccess: (passkey) => (passkey?.recoveryCodes ? undefined : onDone()),
  });
  const { mutate } = create;
  const isBegun = useRef(false);
  useEffect(() => {
    if (!isBegun.current) mutate();
    isBegun.current = true;
  }, [mutate]);

  if (create.data?.recoveryCodes) {
    return (
      <Stack gap="md">
        <Text role="status">{t.entrance.passkeyReady}</Text>
        <RecoveryCodes codes={create.data.recoveryCodes} onClose={onDone} />
      </Stack>
    );
  }
  if (choosesPassword) return <ChoosePassword onDone={onDone} onBack={() => setChoosesPassword(false)} />;
  if (!create.error) {
    return (
      <Stack gap="md" align="center">
        <Loader size="sm" aria-hidden />
        <Text role="status">{t.entrance.accountCreated}</Text>
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <Alert color="yellow" role="alert" title={t.entrance.noPasskeyTitle}>
        {t.entrance.noPasskeyNote(problemText(create.error))}
      </Alert>
      <Button autoFocus onClick={() => mutate()}>
        {t.common.tryAgain}
      </Button>
      <Divider label={t.session.or} />
      <Button variant="default" onClick={() => setChoosesPassword(true)}>
        {t.entrance.choosePassword}
      </Button>
    </Stack>
  );
}

function ChoosePassword({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  const choose = useMutation({
    mutationFn: (password: string) => call('PUT /auth/account/password', { body: { password } }),
    onSuccess: onDone,
  });
  return (
    <Stack gap="md">
      <NewPasswordForm
        action={t.entrance.savePassword}
        pending={choose.isPending}
        error={choose.error}
        onSubmit={(password) => choose.mutate(password)}
      >
        <Text>{t.entrance.savePasswordNote}</Text>
      </NewPasswordForm>
      <Button variant="default" onClick={onBack}>
        {t.entrance.backToPasskey}
      </Button>
    </Stack>
  );
}

function problemText(error: Error): string {
  if (error instanceof ApiError && error.reauthenticate) return t.entrance.tooLate;
  return errorText(error, t.entrance.sessionEnded);
}
