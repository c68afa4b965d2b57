import { Alert, Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';

/** Shows a message and a reload button when rendering throws. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasError: boolean }> {
  override state = { hasError: false };

  static getDerivedStateFromError() {
    return { hasError: true };
  }

  override render(): ReactNode {
    if (!this.state.hasError) return this.props.children;
    return (
      <Alert color="red" variant="light" role="alert" title="Something went wrong" m="xl">
        <p>The dashboard could not show this page. Your stored data is not affected.</p>
        <Button variant="default" size="xs" mt="sm" onClick={() => window.location.reload()}>
          Reload page
        </Button>
      </Alert>
    );
  }
}
