import { Text, Title } from '@mantine/core';
import card from '../components/card.module.css';
import { CodePanel, CodeTabs } from '../components/code-panel.tsx';
import { t } from '../texts/texts.ts';
import goReceiver from './receivers/receiver.go?raw';
import nodeReceiver from './receivers/receiver.mjs?raw';
import pythonReceiver from './receivers/receiver.py?raw';
import { translatedReceiver } from './receivers/translated.ts';

const RECEIVERS = [
  {
    id: 'node',
    name: 'Node.js',
    runtime: 'Node.js 20',
    file: 'receiver.mjs',
    run: 'node receiver.mjs',
    text: nodeReceiver,
  },
  {
    id: 'python',
    name: 'Python',
    runtime: 'Python 3.9',
    file: 'receiver.py',
    run: 'python3 receiver.py',
    text: pythonReceiver,
  },
  {
    id: 'go',
    name: 'Go',
    runtime: 'Go 1.22',
    file: 'receiver.go',
    run: 'go run receiver.go',
    text: goReceiver,
  },
];

/** Programs that receive events and verify their signatures. */
export function VerifyCard() {
  return (
    <section className={card.card} aria-labelledby="verify-signature">
      <div className={card.section} data-dense>
        <Title order={2} size="h4" id="verify-signature">
          {t.webhooks.verify}
        </Title>
        <Text c="dimmed">{t.webhooks.verifyNote}</Text>
      </div>
      <CodeTabs panels={RECEIVERS}>{(receiver) => <Code receiver={receiver} />}</CodeTabs>
    </section>
  );
}

function Code({ receiver: { runtime, file, run, text } }: { receiver: (typeof RECEIVERS)[number] }) {
  const purpose = (
    <>
      <Text fw={500}>{t.webhooks.needs(runtime)}</Text>
      <Text c="dimmed" className="breaks">
        {t.webhooks.run(file, `WEBHOOK_SECRET=whsec_… ${run}`)}
      </Text>
    </>
  );
  return <CodePanel text={translatedReceiver(text)} purpose={purpose} />;
}
