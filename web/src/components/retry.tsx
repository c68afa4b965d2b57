import { Alert, Button } from '@mantine/core';

/** What could not be loaded, why, and a way to try again. */
export function Retry({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  return (
    <Alert color="red" variant="light" role="alert" title="This could not be loaded" my="md">
      <p>{error.message}.</p>
      <Button variant="default" size="xs" mt="sm" onClick={() => void onRetry()}>
        Try again
      </Button>
    </Alert>
  );
}
