import { Alert, Tabs, Text, Title } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.tsx';
import classes from '../connect-page.module.css';
import type { ConnectedApp } from '../queries.ts';
import { formPageUrl } from '../urls.ts';
import { obstacleOf, SNIPPETS, type Snippet } from './snippets.ts';

/** Code to copy, generated from the newest schema. */
export function SnippetsCard({ app }: { app: ConnectedApp }) {
  return (
    <section className={classes.card} aria-labelledby="connect-code">
      <div className={classes.section}>
        <Title order={2} size="h4" id="connect-code">
          Put the form on your website
        </Title>
      </div>
      <Tabs defaultValue={SNIPPETS[0]?.id ?? null} keepMounted={false}>
        <Tabs.List px="xs">
          {SNIPPETS.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SNIPPETS.map((snippet) => (
          <Tabs.Panel key={snippet.id} value={snippet.id}>
            <Code snippet={snippet} app={app} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  );
}

function Code({ snippet, app }: { snippet: Snippet; app: ConnectedApp }) {
  const { sourceAppId, schema, stored } = app;
  const target = { origin: window.location.origin, sourceAppId, schema, settings: stored.settings };
  const text = snippet.generate(target);
  const obstacle = obstacleOf(snippet, stored.settings);
  return (
    <>
      <div className={classes.top}>
        <div className={classes.purpose}>
          <Text size="sm" fw={500}>
            {snippet.note}
          </Text>
          <Text size="sm" c="dimmed">
            {snippet.use}
          </Text>
          {snippet.id === 'link' && (
            <a href={formPageUrl(target)} target="_blank" rel="noopener" className="breaks">
              {formPageUrl(target)}
            </a>
          )}
        </div>
        <CopyButton text={text} />
      </div>
      {obstacle && (
        <Alert variant="light" color="yellow" mx="md" mb="md" p="xs">
          {obstacle}
        </Alert>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable */}
      <pre className={classes.code} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </>
  );
}
