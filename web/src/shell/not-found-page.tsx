import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        title="This page does not exist"
        action={
          <Button component={Link} href="/">
            Go to start page
          </Button>
        }
      >
        The link may be outdated, or it may require a login as another app.
      </EmptyState>
    </>
  );
}
