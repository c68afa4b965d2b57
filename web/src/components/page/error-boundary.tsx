import { Alert, Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { t } from '../../texts/first-texts.ts';

interface Props {
  children: ReactNode;
  /** Whether a part of a page failed, and the rest of it is there. */
  isPart?: boolean;
}

/** Shows a message and a reload button when rendering throws. */
export class ErrorBoundary extends Component<Props, { hasError: boolean }> {
  override state = { hasError: false };

  static getDerivedStateFromError() {
    return { hasError: true };
  }

  override render(): ReactNode {
    if (!this.state.hasError) return this.props.children;
    const { isPart } = this.props;
    return (
      <Alert color="red" role="alert" title={t.components.broken} m={isPart ? 0 : 'xl'}>
        {!isPart && <p>{t.components.brokenNote}</p>}
        <Button variant="default" size="xs" mt="sm" onClick={() => window.location.reload()}>
          {t.components.reload}
        </Button>
      </Alert>
    );
  }
}
