import { Alert, Text } from '@mantine/core';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, issuesOf } from '../api/call.ts';
import { SecretDialog } from '../components/content/one-time-secret.tsx';
import { DialogForm } from '../components/form/form.tsx';
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
    if (!rotate.isPending) rotate.reset();
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
      {!rotated && app && <RotationForm sourceAppId={app.sourceAppId} rotate={rotate} onCancel={close} />}
    </SecretDialog>
  );
}

interface RotationFormProps {
  sourceAppId: string;
  rotate: Pick<UseMutationResult<unknown, Error, Rotation>, 'mutate' | 'isPending' | 'error'>;
  onCancel: () => void;
}

// A separate component, so that closing the dialog resets the input.
function RotationForm({ sourceAppId, rotate, onCancel }: RotationFormProps) {
  const { data: session } = useSession();
  const [current, setCurrent] = useState('');
  const isOwn = session !== undefined && session.state !== 'loggedOut' && session.sourceAppId === sourceAppId;
  const app = <strong className="breaks">{sourceAppId}</strong>;
  return (
    <DialogForm
      action={t.apps.rotatePassword}
      sending={rotate}
      error={null}
      onSubmit={() => rotate.mutate({ sourceAppId, currentPassword: isOwn ? current : undefined })}
      onCancel={onCancel}
    >
      <Text>{isOwn ? t.apps.rotateOwnNote(app) : t.apps.rotateNote(app)}</Text>
      {isOwn && <CurrentPassword label={t.apps.currentPassword} value={current} onChange={setCurrent} isFirst />}
      {rotate.error && (
        <Alert color="red" role="alert">
          {errorText(rotate.error)}
        </Alert>
      )}
    </DialogForm>
  );
}

function errorText(error: Error): string {
  const [issue] = issuesOf(error);
  return issue ? t.apps.currentPasswordProblem(issue.message) : `${error.message}.`;
}
