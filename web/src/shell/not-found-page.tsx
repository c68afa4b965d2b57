import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../components/empty.tsx';
import { PageHeader } from '../components/page-header.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <Empty
        title="There is nothing at this address"
        action={
          <Button component={Link} href="/">
            Go to the start page
          </Button>
        }
      >
        The link may be old, or it may be meant for another app than the one that is logged in.
      </Empty>
    </>
  );
}
