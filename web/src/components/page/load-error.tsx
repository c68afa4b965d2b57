import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/call.ts';
import { t } from '../../texts/first-texts.ts';

/** Of the refusals (4xx), those after which the same request can succeed. */
const REPEATABLE = [401, 408, 429];

/** Whether the same request can succeed later. */
export function canRepeat(error: Error): boolean {
  const isRefusal = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return !isRefusal || REPEATABLE.includes(error.status);
}

interface LoadErrorProps {
  error: Error;
  onRetry: () => unknown;
  /** More than the message of the error, for example with its problems. Without a full stop. */
  message?: string;
  /** What else the reader can do, when a repeated request cannot succeed. */
  children?: ReactNode;
}

/** Shows why data could not be loaded, with a button to repeat the request if that can help. */
export function LoadError({ error, onRetry, message = error.message, children }: LoadErrorProps) {
  return (
    <Alert color="red" role="alert" title={t.components.notLoaded} my="md">
      <p>{message}.</p>
      {canRepeat(error) ? (
        <Button variant="default" size="xs" mt="sm" onClick={() => void onRetry()}>
          {t.common.tryAgain}
        </Button>
      ) : (
        children
      )}
    </Alert>
  );
}
