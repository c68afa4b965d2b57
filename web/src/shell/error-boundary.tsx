import { Alert, Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { t } from '../texts/texts.ts';

/** Shows a message and a reload button when rendering throws. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasError: boolean }> {
  override state = { hasError: false };

  static getDerivedStateFromError() {
    return { hasError: true };
  }

  override render(): ReactNode {
    if (!this.state.hasError) return this.props.children;
    return (
      <Alert color="red" role="alert" title={t.shell.broken} m="xl">
        <p>{t.shell.brokenNote}</p>
        <Button variant="default" size="xs" mt="sm" onClick={() => window.location.reload()}>
          {t.shell.reload}
        </Button>
      </Alert>
    );
  }
}
