import { Button, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/call.ts';
import type { OwnAccount, OwnPasskey } from '../api/endpoints.ts';
import { ConfirmRemoval } from '../components/confirm-dialog.tsx';
import { count } from '../components/count.ts';
import { FormActions } from '../components/form-actions.tsx';
import { LoadError } from '../components/load-error.tsx';
import { SecretDialog } from '../components/one-time-secret.tsx';
import { Problem } from '../components/problem.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import { Time } from '../components/time.tsx';
import { supportsPasskeys } from '../session/passkeys.ts';
import classes from './account.module.css';
import { deviceName } from './device.ts';
import { passkeysQuery, useAccountChanges } from './queries.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { Section } from './section.tsx';

export function PasskeysCard({ hasPassword, totp, recoveryCodes }: OwnAccount) {
  const { data: passkeys, error, refetch } = useQuery(passkeysQuery);
  const { addPasskey } = useAccountChanges();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<OwnPasskey>();
  const codes = addPasskey.data?.recoveryCodes;
  const isOnlyFactor = passkeys?.length === 1 && hasPassword && !totp;
  const obstacle = obstacleOf(addPasskey.error);
  const close = (): void => {
    setAdding(false);
    if (!obstacle) addPasskey.reset();
  };
  const add = (name: string): void =>
    addPasskey.mutate(name, {
      onSuccess: ({ recoveryCodes }) => {
        notifications.show({ title: 'Passkey added', message: 'You can now log in with it' });
        if (!recoveryCodes) close();
      },
      onError: (problem) => obstacleOf(problem) && setAdding(false),
    });
  return (
    <Section id="account-passkeys" title="Passkeys">
      <Text size="sm" c="dimmed">
        A passkey logs you in with the screen lock of your device or with a security key, without a password.
        {passkeys && passkeys.length > 0 && ` ${count(recoveryCodes, 'recovery code')} left.`}
      </Text>
      {error && <LoadError error={error} onRetry={refetch} />}
      {!passkeys && !error && <TableSkeleton rows={1} />}
      {passkeys && passkeys.length > 0 && <PasskeyList passkeys={passkeys} onRemove={setRemoved} />}
      {obstacle ? (
        <Text size="sm">{obstacle}</Text>
      ) : (
        <div>
          <Button variant="default" onClick={() => setAdding(true)}>
            Add passkey
          </Button>
        </div>
      )}
      <SecretDialog
        opened={isAdding}
        onClose={close}
        title={codes ? 'Save your recovery codes' : 'Add a passkey'}
        isShown={codes !== undefined}
      >
        {codes ? (
          <RecoveryCodes codes={codes} onClose={close} />
        ) : (
          <AddPasskey pending={addPasskey.isPending} error={addPasskey.error} onSubmit={add} onCancel={close} />
        )}
      </SecretDialog>
      <RemovePasskey removed={removed} isOnlyFactor={isOnlyFactor} onClose={() => setRemoved(undefined)} />
    </Section>
  );
}

/** Why no passkey can be added here; undefined when one can. */
function obstacleOf(error: Error | null): string | undefined {
  if (error instanceof ApiError && error.status === 409 && error.endpoint === 'POST /auth/account/passkeys/options') {
    return `You cannot add a passkey: ${error.message}.`;
  }
  if (supportsPasskeys()) return undefined;
  return 'You cannot add a passkey here: it needs a browser with passkeys, and this page at a host name over HTTPS.';
}

interface PasskeyListProps {
  passkeys: readonly OwnPasskey[];
  onRemove: (passkey: OwnPasskey) => void;
}

function PasskeyList({ passkeys, onRemove }: PasskeyListProps) {
  return (
    <ul className={classes.sessions} aria-label="Passkeys">
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <div className="breaks">
            <strong>{passkey.name}</strong>
            <div className={classes.detail}>
              Added <Time at={passkey.createdAt} relative />,{' '}
              {passkey.lastUsedAt ? (
                <>
                  last used <Time at={passkey.lastUsedAt} relative />
                </>
              ) : (
                'not used yet'
              )}
            </div>
          </div>
          <Button
            variant="subtle"
            size="xs"
            color="red"
            aria-label={`Remove passkey: ${passkey.name}`}
            onClick={() => onRemove(passkey)}
          >
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
}

interface AddPasskeyProps {
  pending: boolean;
  error: Error | null;
  onSubmit: (name: string) => void;
  onCancel: () => void;
}

function AddPasskey({ pending, error, onSubmit, onCancel }: AddPasskeyProps) {
  const [name, setName] = useState(() => deviceName(navigator.userAgent));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit(name.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="You find the passkey by it in your list, for example the name of the device."
          required
          withAsterisk={false}
          data-autofocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Text size="sm">Your browser then asks where to keep the passkey.</Text>
        <Problem error={error} />
        <FormActions action="Add" loading={pending} disabled={name.trim() === ''} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

interface RemovePasskeyProps {
  removed: OwnPasskey | undefined;
  /** Whether the password alone opens the account without it. */
  isOnlyFactor: boolean;
  onClose: () => void;
}

function RemovePasskey({ removed, isOnlyFactor, onClose }: RemovePasskeyProps) {
  const { removePasskey } = useAccountChanges();
  return (
    <ConfirmRemoval
      id={removed?.id}
      title="Remove this passkey?"
      action="Remove"
      remove={removePasskey}
      onClose={onClose}
    >
      <Text size="sm" className="breaks">
        <strong>{removed?.name}</strong> can no longer log in.{' '}
        {isOnlyFactor && 'Your password alone then opens your account, and the recovery codes stop working. '}
        Delete it on your device, too.
      </Text>
    </ConfirmRemoval>
  );
}
