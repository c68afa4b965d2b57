import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CodePanel, CodeTabs } from '../../components/content/code-panel.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { Section } from '../../components/page/section.tsx';
import { PageSkeleton } from '../../shell/page-skeleton.tsx';
import { t } from '../../texts/texts.ts';
import { type ConnectedApp, jsonSchemaQuery } from '../queries.ts';
import { formPageUrl, JSON_SCHEMA_URL } from '../urls.ts';
import { obstaclesOf } from './obstacles.ts';
import { SNIPPETS, type Snippet } from './snippets.ts';

const JSON_SCHEMA = { id: 'json-schema', name: t.connect.snippets.jsonSchema.name } as const;

/** Code to copy, generated from the newest schema, and that schema for programs. */
export function SnippetsCard({ app }: { app: ConnectedApp }) {
  return (
    <Section
      id="connect-code"
      title={t.connect.snippets.title}
      below={
        <CodeTabs panels={[...SNIPPETS, JSON_SCHEMA]}>
          {(panel) => ('generate' in panel ? <Code snippet={panel} app={app} /> : <JsonSchema app={app} />)}
        </CodeTabs>
      }
    />
  );
}

function JsonSchema({ app }: { app: ConnectedApp }) {
  const { data: text, error, refetch } = useQuery(jsonSchemaQuery(app));
  const { note, use } = t.connect.snippets.jsonSchema;
  const purpose = (
    <>
      <Text fw={500}>{note}</Text>
      <Text c="dimmed" className="breaks">
        {use(JSON_SCHEMA_URL, app.sourceAppId)}
      </Text>
    </>
  );
  if (error) return <LoadError error={error} onRetry={refetch} />;
  return text === undefined ? <PageSkeleton /> : <CodePanel text={text} purpose={purpose} />;
}

function Code({ snippet, app }: { snippet: Snippet; app: ConnectedApp }) {
  const { sourceAppId, schema, stored } = app;
  const target = { sourceAppId, schema, settings: stored.settings };
  const text = snippet.generate(target);
  const obstacles = obstaclesOf(snippet, stored.settings, window.location.origin);
  const purpose = (
    <>
      <Text fw={500}>{snippet.note}</Text>
      <Text c="dimmed">{snippet.use}</Text>
      {snippet.id === 'link' && (
        <a href={formPageUrl(sourceAppId)} target="_blank" rel="noopener" className="breaks">
          {formPageUrl(sourceAppId)}
        </a>
      )}
    </>
  );
  return (
    <CodePanel text={text} purpose={purpose}>
      {obstacles.map((obstacle) => (
        <Alert key={obstacle} color="yellow" mx="md" mb="md" p="xs">
          {obstacle}
        </Alert>
      ))}
    </CodePanel>
  );
}
