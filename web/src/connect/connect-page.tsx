import { Alert, Code, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schema } from '../api/endpoints.ts';
import { appSchemaQuery } from '../apps/queries.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { LeftIcon } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Retry } from '../components/retry.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { schemaQuery } from '../users/queries.ts';
import classes from './connect-page.module.css';
import { curlSnippet, fetchSnippet, htmlSnippet } from './snippets.ts';

const SNIPPETS = [
  { id: 'curl', name: 'Terminal', note: 'Paste it into a terminal to send a first submission.', write: curlSnippet },
  { id: 'html', name: 'HTML', note: 'A whole page. Take the form and its script into your own.', write: htmlSnippet },
  { id: 'fetch', name: 'JavaScript', note: 'For an app, a server or a form of your own.', write: fetchSnippet },
] as const;

/** How a form submits to an app: texts to copy, true to the app's schema. */
export function ConnectPage({ sourceAppId, ofAdmin = false }: { sourceAppId: string; ofAdmin?: boolean }) {
  const own = useQuery({ ...schemaQuery, enabled: !ofAdmin });
  const others = useQuery({ ...appSchemaQuery(sourceAppId), enabled: ofAdmin });
  const query = ofAdmin ? others : own;
  const schema = ofAdmin ? others.data?.schema : own.data;
  return (
    <>
      {ofAdmin && (
        <Link href={`/apps/${sourceAppId}`} className={classes.back ?? ''}>
          <LeftIcon size={16} /> {sourceAppId}
        </Link>
      )}
      <PageHeader
        title="Connect your form"
        note={`What submits to ${sourceAppId}, by version ${schema?.version ?? '…'} of its schema`}
      />
      {query.error && <Retry error={query.error} onRetry={query.refetch} />}
      {!schema && !query.error && <PageSkeleton />}
      {schema && <Snippets sourceAppId={sourceAppId} schema={schema} ofAdmin={ofAdmin} />}
    </>
  );
}

function Snippets({ sourceAppId, schema, ofAdmin }: { sourceAppId: string; schema: Schema; ofAdmin: boolean }) {
  const target = { origin: window.location.origin, sourceAppId, schema };
  return (
    <>
      <section className={classes.card} aria-label="Snippets">
        <Tabs defaultValue="curl" keepMounted={false}>
          <Tabs.List px="md" pt={6}>
            {SNIPPETS.map(({ id, name }) => (
              <Tabs.Tab key={id} value={id}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {SNIPPETS.map(({ id, note, write }) => (
            <Tabs.Panel key={id} value={id}>
              <Snippet note={note} text={write(target)} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </section>
      <section className={classes.notes} aria-label="Good to know">
        <Text size="sm">
          <strong>Then look here:</strong>{' '}
          {ofAdmin ? (
            <>
              log in as {sourceAppId}, or open <Link href={`/users?sourceAppId=${sourceAppId}`}>its users</Link>.
            </>
          ) : (
            <>
              the <Link href="/users">users</Link> show a submission within seconds.
            </>
          )}
        </Text>
        <Text size="sm">
          <strong>The same email again</strong> changes the record: fields that are sent replace, fields that are not
          stay, and items of lists are added.
        </Text>
        <Text size="sm">
          <strong>To be safe against double sending</strong>, send a header <Code>Idempotency-Key</Code> with a text of
          your own for each submission.
        </Text>
        <Alert variant="light" color="indigo" title="A page on another address">
          Browsers ask first whether it may submit. The address has to be listed in the service's setting{' '}
          <Code>CORS_ORIGINS</Code>; pages from this address ({target.origin}) may in any case.
        </Alert>
      </section>
    </>
  );
}

function Snippet({ note, text }: { note: string; text: string }) {
  return (
    <>
      <div className={classes.top}>
        <Text size="sm" c="dimmed">
          {note}
        </Text>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by key */}
      <pre className={classes.code} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </>
  );
}
