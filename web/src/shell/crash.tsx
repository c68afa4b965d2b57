import { Alert, Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';

/** What a mistake in the pages themselves leaves: words and a way on, never an empty window. */
export class Crash extends Component<{ children: ReactNode }, { crashed: boolean }> {
  override state = { crashed: false };

  static getDerivedStateFromError() {
    return { crashed: true };
  }

  override render(): ReactNode {
    if (!this.state.crashed) return this.props.children;
    return (
      <Alert color="red" variant="light" role="alert" title="Something went wrong in this page" m="xl">
        <p>What is stored is not affected.</p>
        <Button variant="default" size="xs" mt="sm" onClick={() => window.location.reload()}>
          Load the page again
        </Button>
      </Alert>
    );
  }
}
