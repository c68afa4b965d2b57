import { Button, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { hasStatus } from '../api/call.ts';
import type { OwnAccount, OwnPasskey } from '../api/endpoints.ts';
import { SecretDialog } from '../components/content/one-time-secret.tsx';
import { Time } from '../components/content/time.tsx';
import { ConfirmRemoval } from '../components/form/confirm-dialog.tsx';
import { DialogForm, type Sending } from '../components/form/form.tsx';
import { inputProps } from '../components/form/input.ts';
import { RemoveButton } from '../components/form/remove-button.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { Section } from '../components/page/section.tsx';
import { TableSkeleton } from '../components/table/table-skeleton.tsx';
import { supportsPasskeys } from '../session/passkeys.ts';
import { SettingLink } from '../texts/setting-link.tsx';
import { t } from '../texts/texts.ts';
import classes from './account.module.css';
import { deviceName } from './device.ts';
import { passkeysQuery, useAccountChanges } from './queries.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

export function PasskeysCard({ hasPassword, totp, recoveryCodes }: OwnAccount) {
  const { data: passkeys, error, refetch } = useQuery(passkeysQuery);
  const { addPasskey, removePasskey } = useAccountChanges();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<OwnPasskey>();
  const codes = addPasskey.data?.recoveryCodes;
  // Whether the password alone opens the account without the removed one.
  const isOnlyFactor = passkeys?.length === 1 && hasPassword && !totp;
  const obstacle = obstacleOf(addPasskey.error);
  const close = (): void => {
    setAdding(false);
    if (!obstacle && !addPasskey.isPending) addPasskey.reset();
  };
  const add = (name: string): void =>
    addPasskey.mutate(name, {
      onSuccess: ({ recoveryCodes }) => {
        notifications.show({ title: t.account.passkeyAdded, message: t.account.passkeyAddedNote });
        if (!recoveryCodes) close();
      },
      onError: (problem) => obstacleOf(problem) && setAdding(false),
    });
  return (
    <Section id="account-passkeys" title={t.account.passkeys}>
      <Text c="dimmed">
        {t.account.passkeysNote}
        {passkeys && passkeys.length > 0 && ` ${t.account.codesLeft(recoveryCodes)}`}
      </Text>
      {error && <LoadError error={error} onRetry={refetch} />}
      {!passkeys && !error && <TableSkeleton rows={1} />}
      {passkeys && passkeys.length > 0 && <PasskeyList passkeys={passkeys} onRemove={setRemoved} />}
      {obstacle ? (
        <Text>{obstacle}</Text>
      ) : (
        <div>
          <Button variant="default" onClick={() => setAdding(true)}>
            {t.account.addPasskey}
          </Button>
        </div>
      )}
      <SecretDialog
        opened={isAdding}
        onClose={close}
        title={codes ? t.account.saveCodes : t.account.addPasskeyTitle}
        isShown={codes !== undefined}
      >
        {codes ? (
          <RecoveryCodes codes={codes} onClose={close} />
        ) : (
          <AddPasskey sending={addPasskey} onSubmit={add} onCancel={close} />
        )}
      </SecretDialog>
      <ConfirmRemoval
        id={removed?.id}
        title={t.account.removePasskeyTitle}
        action={t.common.remove}
        remove={removePasskey}
        onClose={() => setRemoved(undefined)}
      >
        <Text className="breaks">
          {isOnlyFactor ? t.account.removeOnlyFactorNote(removed?.name) : t.account.removePasskeyNote(removed?.name)}
        </Text>
      </ConfirmRemoval>
    </Section>
  );
}

/** Why no passkey can be added here; undefined when one can. */
function obstacleOf(error: Error | null): ReactElement | string | undefined {
  if (hasStatus(error, 409) && error.endpoint === 'POST /auth/account/passkeys/options') {
    return (
      <>
        {t.account.passkeyRefused(error.message)}{' '}
        {error.code === 'passkeysNeedUrl' && <SettingLink name="PUBLIC_URL" />}
      </>
    );
  }
  if (supportsPasskeys()) return undefined;
  return t.account.noPasskeysHere;
}

interface PasskeyListProps {
  passkeys: readonly OwnPasskey[];
  onRemove: (passkey: OwnPasskey) => void;
}

function PasskeyList({ passkeys, onRemove }: PasskeyListProps) {
  return (
    <ul className={classes.sessions} aria-label={t.account.passkeys}>
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <div className="breaks">
            <strong>{passkey.name}</strong>
            <div className={classes.detail}>
              <Use passkey={passkey} />
            </div>
          </div>
          <RemoveButton label={t.account.removePasskey(passkey.name)} onClick={() => onRemove(passkey)}>
            {t.common.remove}
          </RemoveButton>
        </li>
      ))}
    </ul>
  );
}

function Use({ passkey: { createdAt, lastUsedAt } }: { passkey: OwnPasskey }) {
  const added = <Time at={createdAt} relative />;
  return lastUsedAt ? t.account.passkeyUsed(added, <Time at={lastUsedAt} relative />) : t.account.passkeyUnused(added);
}

interface AddPasskeyProps {
  sending: Sending;
  onSubmit: (name: string) => void;
  onCancel: () => void;
}

function AddPasskey({ sending, onSubmit, onCancel }: AddPasskeyProps) {
  const [name, setName] = useState(() => deviceName(navigator.userAgent));
  return (
    <DialogForm
      action={t.common.add}
      sending={sending}
      disabled={name.trim() === ''}
      onSubmit={() => onSubmit(name.trim())}
      onCancel={onCancel}
    >
      <TextInput
        label={t.common.name}
        description={t.account.passkeyNameNote}
        required
        withAsterisk={false}
        data-autofocus
        maxLength={100}
        {...inputProps(name, setName)}
      />
      <Text>{t.account.passkeyNext}</Text>
    </DialogForm>
  );
}
