import { Text } from '@mantine/core';
import { CodePanel, CodeTabs } from '../components/content/code-panel.tsx';
import { Section } from '../components/page/section.tsx';
import { t } from '../texts/texts.ts';

const texts = t.keys.assistants;
const NAME = 'user-collection';
/** Represents a key, which is shown once only. */
const KEY = 'uck_…';
const url = `${window.location.origin}/mcp`;

/** Programs that use the tools of the service, with what connects them. */
const CLIENTS = [
  {
    id: 'cursor',
    name: texts.cursor,
    where: texts.inFile('~/.cursor/mcp.json'),
    text: JSON.stringify(
      { mcpServers: { [NAME]: { url, headers: { Authorization: ['Bearer', KEY].join(' ') } } } },
      null,
      2,
    ),
  },
  {
    id: 'vs-code',
    name: texts.vsCode,
    where: texts.inFile('.vscode/mcp.json'),
    // VS Code asks for the key and keeps it, so that the file can be shared.
    text: JSON.stringify(
      {
        inputs: [{ id: 'key', type: 'promptString', description: texts.key, password: true }],
        servers: {
          [NAME]: {
            type: 'http',
            url,
            // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code fills it in
            headers: { Authorization: 'Bearer ${input:key}' },
          },
        },
      },
      null,
      2,
    ),
  },
];

/** The lines that connect assistants with a key, by the Model Context Protocol. */
export function AssistantsCard() {
  return (
    <Section
      id="assistants"
      title={texts.title}
      below={
        <CodeTabs panels={CLIENTS}>
          {({ where, text }) => <CodePanel text={text} purpose={<Text>{where}</Text>} />}
        </CodeTabs>
      }
    >
      <Text c="dimmed">{texts.note}</Text>
    </Section>
  );
}
