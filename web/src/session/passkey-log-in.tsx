import { Button, Divider, Stack } from '@mantine/core';
import { KeyIcon } from '../components/icons.tsx';
import { t } from '../texts/first-texts.ts';
import { LogInError, useCountdown } from './log-in-error.tsx';
import { supportsPasskeys, usePasskeyLogIn } from './passkeys.ts';

/** The log-in with a passkey, below another way. Nothing where the browser has no passkeys. */
export function PasskeyLogIn({ onDone }: { onDone?: () => void }) {
  if (!supportsPasskeys()) return null;
  return (
    <>
      <Divider label={t.session.or} my="md" />
      <PasskeyButton label={t.session.logInWithPasskey} {...(onDone && { onDone })} />
    </>
  );
}

interface PasskeyButtonProps {
  label: string;
  /** Whether it is the first button of its form. */
  isFirst?: boolean;
  onDone?: () => void;
}

export function PasskeyButton({ label, isFirst = false, onDone }: PasskeyButtonProps) {
  const logIn = usePasskeyLogIn();
  const secondsLeft = useCountdown(logIn.error);
  return (
    <Stack gap="md">
      <LogInError error={logIn.error} secondsLeft={secondsLeft} wrong={t.session.unknownPasskey} />
      <Button
        variant={isFirst ? 'filled' : 'default'}
        leftSection={<KeyIcon size={16} />}
        autoFocus={isFirst}
        data-autofocus={isFirst || undefined}
        loading={logIn.isPending}
        disabled={secondsLeft > 0}
        fullWidth
        onClick={() => logIn.mutate('passkey', { ...(onDone && { onSuccess: onDone }) })}
      >
        {label}
      </Button>
    </Stack>
  );
}
