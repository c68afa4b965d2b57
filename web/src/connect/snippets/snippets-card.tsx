import { Alert, Text } from '@mantine/core';
import { CodePanel, CodeTabs } from '../../components/code-panel.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../texts/texts.ts';
import type { ConnectedApp } from '../queries.ts';
import { formPageUrl } from '../urls.ts';
import { obstacleOf, SNIPPETS, type Snippet } from './snippets.ts';

/** Code to copy, generated from the newest schema. */
export function SnippetsCard({ app }: { app: ConnectedApp }) {
  return (
    <Section
      id="connect-code"
      title={t.connect.snippets.title}
      below={<CodeTabs panels={SNIPPETS}>{(snippet) => <Code snippet={snippet} app={app} />}</CodeTabs>}
    />
  );
}

function Code({ snippet, app }: { snippet: Snippet; app: ConnectedApp }) {
  const { sourceAppId, schema, stored } = app;
  const target = { sourceAppId, schema, settings: stored.settings };
  const text = snippet.generate(target);
  const obstacle = obstacleOf(snippet, stored.settings);
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
      {obstacle && (
        <Alert color="yellow" mx="md" mb="md" p="xs">
          {obstacle}
        </Alert>
      )}
    </CodePanel>
  );
}
