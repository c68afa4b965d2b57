import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { LogInError, useCountdown } from './log-in-error.tsx';
import { useSecondFactor } from './session.ts';

interface SecondFactorProps {
  onDone?: () => void;
  onBack: () => void;
}

/** The second step of a log-in: a code of the authenticator app, or a recovery code. */
export function SecondFactor({ onDone, onBack }: SecondFactorProps) {
  const complete = useSecondFactor();
  const [isRecovery, setRecovery] = useState(false);
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
          key={String(isRecovery)}
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
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => {
            setRecovery(!isRecovery);
            setCode('');
            complete.reset();
          }}
        >
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </Anchor>
      </Stack>
    </form>
  );
}
