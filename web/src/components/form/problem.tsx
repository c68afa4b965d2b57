import { Alert, type AlertProps } from '@mantine/core';

/** Why a change was refused. */
export function Problem({ error, ...alert }: { error: Error | null } & Omit<AlertProps, 'children'>) {
  if (!error) return null;
  return (
    <Alert color="red" role="alert" {...alert}>
      {error.message}.
    </Alert>
  );
}
