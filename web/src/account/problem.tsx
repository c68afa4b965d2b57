import { Alert } from '@mantine/core';

/** Why a change was refused. */
export function Problem({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      {error.message}.
    </Alert>
  );
}
