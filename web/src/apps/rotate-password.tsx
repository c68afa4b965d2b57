import { Alert, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, issuesOf } from '../api/call.ts';
import { FormActions } from '../components/form-actions.tsx';
import { SecretDialog } from '../components/one-time-secret.tsx';
import { CurrentPassword } from '../session/log-in-form.tsx';
import { useSession } from '../session/session.ts';
import { t } from '../texts/texts.ts';
import { NewPassword } from './new-password.tsx';

interface Rotation {
  sourceAppId: string;
  /** Required for the app of the session. */
  currentPassword: string | undefined;
}

/** Replaces the password of an app after a confirmation that names the consequences. */
export function RotatePassword({ app, onClose }: { app: { sourceAppId: string } | undefined; onClose: () => void }) {
  const rotate = useMutation({
    mutationFn: ({ sourceAppId, currentPassword }: Rotation) =>
      call('POST /auth/apps/:sourceAppId/password', {
        params: { sourceAppId },
        ...(currentPassword !== undefined && { body: { currentPassword } }),
      }),
  });
  const close = (): void => {
    onClose();
    rotate.reset();
  };
  const rotated = rotate.data;
  return (
    <SecretDialog
      opened={app !== undefined}
      onClose={close}
      title={rotated ? t.apps.newPassword : t.apps.rotatePassword}
      isShown={rotated !== undefined}
    >
      {rotated && <NewPassword {...rotated} onClose={close} />}
      {!rotated && app && (
        <RotationForm
          sourceAppId={app.sourceAppId}
          onSubmit={rotate.mutate}
          pending={rotate.isPending}
          error={rotate.error}
          onCancel={close}
        />
      )}
    </SecretDialog>
  );
}

interface RotationFormProps {
  sourceAppId: string;
  onSubmit: (rotation: Rotation) => void;
  pending: boolean;
  error: Error | null;
  onCancel: () => void;
}

// A separate component, so that closing the dialog resets the input.
function RotationForm({ sourceAppId, onSubmit, pending, error, onCancel }: RotationFormProps) {
  const { data: session } = useSession();
  const [current, setCurrent] = useState('');
  const isOwn = session !== undefined && session.state !== 'loggedOut' && session.sourceAppId === sourceAppId;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit({ sourceAppId, currentPassword: isOwn ? current : undefined });
  };
  const app = <strong className="breaks">{sourceAppId}</strong>;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{isOwn ? t.apps.rotateOwnNote(app) : t.apps.rotateNote(app)}</Text>
        {isOwn && <CurrentPassword label={t.apps.currentPassword} value={current} onChange={setCurrent} isFirst />}
        {error && (
          <Alert color="red" role="alert">
            {errorText(error)}
          </Alert>
        )}
        <FormActions action={t.apps.rotatePassword} loading={pending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

function errorText(error: Error): string {
  const [issue] = issuesOf(error);
  return issue ? t.apps.currentPasswordProblem(issue.message) : `${error.message}.`;
}
