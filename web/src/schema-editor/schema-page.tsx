import { Button, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { Refusal } from '../api/call.ts';
import { appSchemaQuery } from '../apps/queries.ts';
import { Empty } from '../components/empty.tsx';
import { LeftIcon, PlugIcon } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Retry } from '../components/retry.tsx';
import { NotFoundPage } from '../shell/not-found-page.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { Editor } from './editor.tsx';
import classes from './schema-page.module.css';

/** How often an open editor looks whether someone else stored a version, in milliseconds. */
const LOOK_AGAIN_MS = 10_000;
const TABS = [
  { id: 'fields', name: 'Fields' },
  { id: 'json', name: 'JSON' },
  { id: 'versions', name: 'Versions' },
] as const;
export type Tab = (typeof TABS)[number]['id'];

/** One app for its administrator: the fields that it collects. */
export default function SchemaPage({ sourceAppId, tab = 'fields' }: { sourceAppId: string; tab?: string | undefined }) {
  const [, navigate] = useLocation();
  const newest = useQuery({ ...appSchemaQuery(sourceAppId), refetchInterval: LOOK_AGAIN_MS });
  const known = TABS.find(({ id }) => id === tab);

  if (!known) return <NotFoundPage />;
  if (newest.error instanceof Refusal && newest.error.status === 404) return <NoApp sourceAppId={sourceAppId} />;
  if (!newest.data) return newest.error ? <Retry error={newest.error} onRetry={newest.refetch} /> : <PageSkeleton />;
  return (
    <>
      <Link href="/apps" className={classes.back ?? ''}>
        <LeftIcon size={16} /> Apps
      </Link>
      <PageHeader title={sourceAppId} note={`Version ${newest.data.schema.version} of its schema is in force`}>
        <Button
          component={Link}
          href={`/apps/${sourceAppId}/connect`}
          variant="default"
          leftSection={<PlugIcon size={16} />}
        >
          Connect a form
        </Button>
      </PageHeader>
      <Tabs
        value={known.id}
        onChange={(id) => navigate(id === 'fields' ? `/apps/${sourceAppId}` : `/apps/${sourceAppId}/${id}`)}
        mb="md"
      >
        <Tabs.List>
          {TABS.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <Editor sourceAppId={sourceAppId} newest={newest.data} tab={known.id} />
    </>
  );
}

function NoApp({ sourceAppId }: { sourceAppId: string }) {
  return (
    <>
      <PageHeader title="No such app" />
      <Empty
        title={`There is no app ${sourceAppId}`}
        action={
          <Button component={Link} href="/apps">
            Go to the apps
          </Button>
        }
      >
        It may have been deleted.
      </Empty>
    </>
  );
}
