import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState title="This page does not exist" action={<StartButton />}>
        The link may be outdated, or it may be for administrators.
      </EmptyState>
    </>
  );
}

/** Shown to an operator for each page of another app, whether or not that app exists. */
export function OtherAppPage({ sourceAppId }: { sourceAppId: string }) {
  return (
    <>
      <PageHeader title="Page of another app" />
      <EmptyState title="This page belongs to another app" action={<StartButton />}>
        To open it, log in as {sourceAppId} or as an administrator.
      </EmptyState>
    </>
  );
}

function StartButton() {
  return (
    <Button component={Link} href="/">
      Go to start page
    </Button>
  );
}
