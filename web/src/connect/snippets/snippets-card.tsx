import { Alert, Text, Title } from '@mantine/core';
import card from '../../components/card.module.css';
import { CodePanel, CodeTabs } from '../../components/code-panel.tsx';
import { t } from '../../texts/texts.ts';
import type { ConnectedApp } from '../queries.ts';
import { formPageUrl } from '../urls.ts';
import { obstacleOf, SNIPPETS, type Snippet } from './snippets.ts';

/** Code to copy, generated from the newest schema. */
export function SnippetsCard({ app }: { app: ConnectedApp }) {
  return (
    <section className={card.card} aria-labelledby="connect-code">
      <div className={card.section}>
        <Title order={2} size="h4" id="connect-code">
          {t.connect.snippets.title}
        </Title>
      </div>
      <CodeTabs panels={SNIPPETS}>{(snippet) => <Code snippet={snippet} app={app} />}</CodeTabs>
    </section>
  );
}

function Code({ snippet, app }: { snippet: Snippet; app: ConnectedApp }) {
  const { sourceAppId, schema, stored } = app;
  const target = { origin: window.location.origin, sourceAppId, schema, settings: stored.settings };
  const text = snippet.generate(target);
  const obstacle = obstacleOf(snippet, stored.settings);
  const purpose = (
    <>
      <Text fw={500}>{snippet.note}</Text>
      <Text c="dimmed">{snippet.use}</Text>
      {snippet.id === 'link' && (
        <a href={formPageUrl(target)} target="_blank" rel="noopener" className="breaks">
          {formPageUrl(target)}
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
