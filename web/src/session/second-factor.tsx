import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { SecondFactorKind } from '../api/endpoints.ts';
import { Form } from '../components/form/form.tsx';
import { AS_TYPED, inputProps } from '../components/form/input.ts';
import { t } from '../texts/first-texts.ts';
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

/** The second step of a log-in: a code of the authenticator app, a passkey or a recovery code. */
export function SecondFactor({ factors, onDone, onBack }: SecondFactorProps) {
  const usable = factors.filter((factor) => factor !== 'passkey' || supportsPasskeys());
  const steps: Step[] = [...usable, 'recovery'];
  const [step, setStep] = useState<Step>(usable.includes('totp') ? 'totp' : (usable[0] ?? 'recovery'));
  return (
    <Stack gap="md">
      {step === 'passkey' ? (
        <>
          <Text>{t.session.passkeyNote}</Text>
          <PasskeyButton label={t.session.usePasskey} isFirst {...(onDone && { onDone })} />
          <Button variant="default" onClick={onBack}>
            {t.common.back}
          </Button>
        </>
      ) : (
        <CodeForm key={step} isRecovery={step === 'recovery'} {...(onDone && { onDone })} onBack={onBack} />
      )}
      {usable.length < factors.length && <Text>{t.session.noPasskeyHere}</Text>}
      {steps
        .filter((other) => other !== step)
        .map((other) => (
          <Anchor key={other} component="button" type="button" size="sm" onClick={() => setStep(other)}>
            {t.session.factors[other]}
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
  const submit = (): void => {
    const text = code.trim();
    complete.mutate(isRecovery ? { recoveryCode: text } : { code: text.replace(/\s/g, '') }, {
      onError: () => setCode(''),
      ...(onDone && { onSuccess: onDone }),
    });
  };
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <Text>{isRecovery ? t.session.recoveryNote : t.session.codeNote}</Text>
        <TextInput
          label={isRecovery ? t.session.recoveryCode : t.session.code}
          name="code"
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          {...AS_TYPED}
          required
          withAsterisk={false}
          data-autofocus
          autoFocus
          maxLength={100}
          {...inputProps(code, setCode)}
        />
        <LogInError
          error={complete.error}
          secondsLeft={secondsLeft}
          wrong={isRecovery ? t.session.wrongRecoveryCode : t.session.wrongCode}
        />
        <Group grow>
          <Button variant="default" onClick={onBack}>
            {t.common.back}
          </Button>
          <Button type="submit" loading={complete.isPending} disabled={secondsLeft > 0 || code.trim() === ''}>
            {t.session.continue}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
