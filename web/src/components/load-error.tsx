import { Alert, Button } from '@mantine/core';
import { t } from '../texts/texts.ts';

/** Shows why data could not be loaded, with a button to retry. */
export function LoadError({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  return (
    <Alert color="red" role="alert" title={t.components.notLoaded} my="md">
      <p>{error.message}.</p>
      <Button variant="default" size="xs" mt="sm" onClick={() => void onRetry()}>
        {t.common.tryAgain}
      </Button>
    </Alert>
  );
}
