import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { NewPassword } from './new-password.tsx';

/** Gives an app a new password, after saying what that ends. */
export function RotatePassword({ app, onClose }: { app: { sourceAppId: string } | undefined; onClose: () => void }) {
  const rotate = useMutation({
    mutationFn: (sourceAppId: string) => call('POST /auth/apps/:sourceAppId/password', { params: { sourceAppId } }),
  });
  const close = (): void => {
    onClose();
    rotate.reset();
  };
  const made = rotate.data;
  return (
    <Modal
      opened={app !== undefined}
      onClose={close}
      title={made ? 'The new password' : 'New password'}
      closeOnClickOutside={!made}
      closeOnEscape={!made}
      withCloseButton={!made}
    >
      {made && <NewPassword {...made} onClose={close} />}
      {!made && app && (
        <Stack>
          <Text size="sm">
            <strong className="breaks">{app.sourceAppId}</strong> gets a new password. The old one stops working at
            once, and everyone who is logged in with it is logged out. Forms go on submitting: they use no password.
          </Text>
          {rotate.error && (
            <Alert color="red" variant="light" role="alert">
              {rotate.error.message}.
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={rotate.isPending} onClick={() => rotate.mutate(app.sourceAppId)}>
              Make a new password
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
