import { TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, call } from '../api/call.ts';
import { useChange } from '../api/mutations.ts';
import { SecretDialog } from '../components/content/one-time-secret.tsx';
import { DialogForm } from '../components/form/form.tsx';
import { AS_TYPED, inputProps } from '../components/form/input.ts';
import { t } from '../texts/texts.ts';
import { NewPassword } from './new-password.tsx';
import { newApp } from './queries.ts';

/** Creates an app, shows its password once, and then opens its schema. */
export function CreateApp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [, navigate] = useLocation();
  const create = useChange(['apps', 'admin-stats'], (sourceAppId: string) =>
    call('POST /auth/apps', { body: newApp(sourceAppId) }),
  );
  const close = (): void => {
    onClose();
    if (!create.isPending) create.reset();
  };
  const created = create.data;
  return (
    <SecretDialog
      opened={opened}
      onClose={close}
      title={created ? t.apps.created(created.sourceAppId) : t.apps.createApp}
      isShown={created !== undefined}
    >
      {created ? (
        <NewPassword
          {...created}
          done={t.apps.defineFields}
          onClose={() => {
            close();
            navigate(`/apps/${created.sourceAppId}`);
          }}
        />
      ) : (
        <AppIdForm create={create} onCancel={close} />
      )}
    </SecretDialog>
  );
}

interface AppIdFormProps {
  create: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending' | 'error'>;
  onCancel: () => void;
}

function AppIdForm({ create, onCancel }: AppIdFormProps) {
  const [sourceAppId, setSourceAppId] = useState('');
  return (
    <DialogForm
      action={t.apps.create}
      sending={create}
      error={null}
      onSubmit={() => create.mutate(sourceAppId.trim())}
      onCancel={onCancel}
    >
      <AppIdInput value={sourceAppId} onChange={setSourceAppId} error={create.error} isFirst />
    </DialogForm>
  );
}

interface AppIdInputProps {
  value: string;
  onChange: (sourceAppId: string) => void;
  /** Why the app could not be created. */
  error: Error | null;
  isFirst?: boolean;
  disabled?: boolean;
}

/** Asks for the ID of a new app. */
export function AppIdInput({ value, onChange, error, isFirst = false, disabled = false }: AppIdInputProps) {
  return (
    <TextInput
      label={t.apps.appId}
      description={t.apps.appIdNote}
      placeholder="newsletter"
      required
      data-autofocus={isFirst || undefined}
      autoComplete="off"
      {...AS_TYPED}
      maxLength={80}
      {...inputProps(value, onChange)}
      disabled={disabled}
      error={error && errorText(error)}
    />
  );
}

function errorText(error: Error): string {
  if (!(error instanceof ApiError)) return t.apps.tryAgain(error.message);
  if (error.status === 409) return t.apps.appIdTaken;
  const [issue] = error.issues;
  return issue ? t.session.problems.sourceAppId(issue.message) : `${error.message}.`;
}
