import { Text } from '@mantine/core';
import { CodePanel, CodeTabs } from '../components/content/code-panel.tsx';
import { Section } from '../components/page/section.tsx';
import { t } from '../texts/texts.ts';
import goReceiver from './receivers/receiver.go?raw';
import nodeReceiver from './receivers/receiver.mjs?raw';
import pythonReceiver from './receivers/receiver.py?raw';
import { translatedReceiver } from './receivers/translated.ts';

const RECEIVERS = [
  { id: 'node', name: 'Node.js', runtime: 'Node.js 20', program: 'node', file: 'receiver.mjs', text: nodeReceiver },
  {
    id: 'python',
    name: 'Python',
    runtime: 'Python 3.9',
    program: 'python3',
    file: 'receiver.py',
    text: pythonReceiver,
  },
  { id: 'go', name: 'Go', runtime: 'Go 1.22', program: 'go run', file: 'receiver.go', text: goReceiver },
];

/** Programs that receive events and verify their signatures. */
export function VerifyCard() {
  return (
    <Section
      id="verify-signature"
      title={t.webhooks.verify}
      below={<CodeTabs panels={RECEIVERS}>{(receiver) => <Code receiver={receiver} />}</CodeTabs>}
    >
      <Text c="dimmed">{t.webhooks.verifyNote}</Text>
    </Section>
  );
}

function Code({ receiver: { runtime, program, file, text } }: { receiver: (typeof RECEIVERS)[number] }) {
  const purpose = (
    <>
      <Text fw={500}>{t.webhooks.needs(runtime)}</Text>
      <Text c="dimmed" className="breaks">
        {t.webhooks.run(file, `WEBHOOK_SECRET=whsec_… ${program} ${file}`)}
      </Text>
    </>
  );
  return <CodePanel text={translatedReceiver(text)} purpose={purpose} />;
}
