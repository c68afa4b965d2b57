import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { SecondFactorKind } from '../api/endpoints.ts';
import { LogInError, useCountdown } from './log-in-error.tsx';
import { PasskeyButton } from './passkey-log-in.tsx';
import { supportsPasskeys } from './passkeys.ts';
import { useSecondFactor } from './session.ts';

interface SecondFactorProps {
  /** Those that the account has. */
  factors: readonly SecondFactorKind[];
  onDone?: () => void;
  onBack: () => void;
}

type Step = SecondFactorKind | 'recovery';

const CHANGES: Record<Step, string> = {
  passkey: 'Use a passkey',
  totp: 'Use the authenticator app',
  recovery: 'Use a recovery code',
};

/** The second step of a log-in: a code of the authenticator app, a passkey or a recovery code. */
export function SecondFactor({ factors, onDone, onBack }: SecondFactorProps) {
  const usable = factors.filter((factor) => factor !== 'passkey' || supportsPasskeys());
  const steps: Step[] = [...usable, 'recovery'];
  const [step, setStep] = useState<Step>(usable.includes('totp') ? 'totp' : (usable[0] ?? 'recovery'));
  return (
    <Stack gap="md">
      {step === 'passkey' ? (
        <>
          <Text size="sm">Confirm with your passkey that it is you.</Text>
          <PasskeyButton label="Use passkey" isFirst {...(onDone && { onDone })} />
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
        </>
      ) : (
        <CodeForm key={step} isRecovery={step === 'recovery'} {...(onDone && { onDone })} onBack={onBack} />
      )}
      {usable.length < factors.length && (
        <Text size="sm">Your passkey does not work in this browser or at this address.</Text>
      )}
      {steps
        .filter((other) => other !== step)
        .map((other) => (
          <Anchor key={other} component="button" type="button" size="sm" onClick={() => setStep(other)}>
            {CHANGES[other]}
          </Anchor>
        ))}
    </Stack>
  );
}

interface CodeFormProps {
  isRecovery: boolean;
  onDone?: () => void;
  onBack: () => void;
}

function CodeForm({ isRecovery, onDone, onBack }: CodeFormProps) {
  const complete = useSecondFactor();
  const [code, setCode] = useState('');
  const secondsLeft = useCountdown(complete.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const text = code.trim();
    complete.mutate(isRecovery ? { recoveryCode: text } : { code: text.replace(/\s/g, '') }, {
      onError: () => setCode(''),
      ...(onDone && { onSuccess: onDone }),
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">
          {isRecovery
            ? 'Enter one of the recovery codes that you saved. Each works once.'
            : 'Enter the code that your authenticator app shows now.'}
        </Text>
        <TextInput
          label={isRecovery ? 'Recovery code' : 'Code'}
          name="code"
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          data-autofocus
          autoFocus
          maxLength={100}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <LogInError
          error={complete.error}
          secondsLeft={secondsLeft}
          wrong={
            isRecovery
              ? 'This recovery code is wrong or was used. After a long wait, go back and start again.'
              : 'This code is wrong or was used. Wait for the next one. After a long wait, go back and start again.'
          }
        />
        <Group grow>
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
          <Button type="submit" loading={complete.isPending} disabled={secondsLeft > 0 || code.trim() === ''}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
