import { Alert, Button } from '@mantine/core';

/** Shows why data could not be loaded, with a button to retry. */
export function LoadError({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  return (
    <Alert color="red" variant="light" role="alert" title="Could not load the data" my="md">
      <p>{error.message}.</p>
      <Button variant="default" size="xs" mt="sm" onClick={() => void onRetry()}>
        Try again
      </Button>
    </Alert>
  );
}
