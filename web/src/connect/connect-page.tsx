import { Alert, Code, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schema } from '../api/endpoints.ts';
import { appSchemaQuery } from '../apps/queries.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { LeftIcon } from '../components/icons.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { schemaQuery } from '../users/queries.ts';
import classes from './connect-page.module.css';
import { curlSnippet, fetchSnippet, htmlSnippet } from './snippets.ts';

const SNIPPETS = [
  {
    id: 'curl',
    name: 'Terminal',
    note: 'Paste this command into a terminal to send a submission.',
    generate: curlSnippet,
  },
  {
    id: 'html',
    name: 'HTML',
    note: 'A complete page. Copy the form and its script into your own page.',
    generate: htmlSnippet,
  },
  { id: 'fetch', name: 'JavaScript', note: 'For your own app, server or form.', generate: fetchSnippet },
] as const;

/**
 * Code that submits to an app, generated from its newest schema.
 *
 * @param asAdmin whether an administrator opens the page of another app
 */
export function ConnectPage({ sourceAppId, asAdmin = false }: { sourceAppId: string; asAdmin?: boolean }) {
  const ownSchema = useQuery({ ...schemaQuery, enabled: !asAdmin });
  const appSchema = useQuery({ ...appSchemaQuery(sourceAppId), enabled: asAdmin });
  const query = asAdmin ? appSchema : ownSchema;
  const schema = asAdmin ? appSchema.data?.schema : ownSchema.data;
  return (
    <>
      {asAdmin && (
        <Link href={`/apps/${sourceAppId}`} className={classes.back ?? ''}>
          <LeftIcon size={16} /> {sourceAppId}
        </Link>
      )}
      <PageHeader
        title="Connect a form"
        note={`Ready-made code for ${sourceAppId}${schema ? ` (schema v${schema.version})` : ''}`}
      />
      {query.error && <LoadError error={query.error} onRetry={query.refetch} />}
      {!schema && !query.error && <PageSkeleton />}
      {schema && <Snippets sourceAppId={sourceAppId} schema={schema} asAdmin={asAdmin} />}
    </>
  );
}

function Snippets({ sourceAppId, schema, asAdmin }: { sourceAppId: string; schema: Schema; asAdmin: boolean }) {
  const target = { origin: window.location.origin, sourceAppId, schema };
  return (
    <>
      <section className={classes.card} aria-label="Code">
        <Tabs defaultValue="curl" keepMounted={false}>
          <Tabs.List px="md" pt={6}>
            {SNIPPETS.map(({ id, name }) => (
              <Tabs.Tab key={id} value={id}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {SNIPPETS.map(({ id, note, generate }) => (
            <Tabs.Panel key={id} value={id}>
              <Snippet note={note} text={generate(target)} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </section>
      <section className={classes.notes} aria-label="Notes">
        <Text size="sm">
          <strong>Result:</strong> A submission appears in{' '}
          <Link href={asAdmin ? `/users?sourceAppId=${sourceAppId}` : '/users'}>
            {asAdmin ? `the users of ${sourceAppId}` : 'Users'}
          </Link>{' '}
          within seconds.
        </Text>
        <Text size="sm">
          <strong>Updates:</strong> A later submission with the same email updates the record. Submitted values replace
          stored values, list items are appended, and other fields keep their values.
        </Text>
        <Text size="sm">
          <strong>Retries:</strong> Send a unique <Code>Idempotency-Key</Code> header with each submission and the same
          key with its retries. The service then applies the submission once. The HTML form does this.
        </Text>
        <Alert variant="light" color="indigo" title="Pages on other origins">
          To let a page on another origin submit, add its origin to the service's <Code>CORS_ORIGINS</Code> setting.
          Pages on {target.origin} need no entry.
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable */}
      <pre className={classes.code} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </>
  );
}
