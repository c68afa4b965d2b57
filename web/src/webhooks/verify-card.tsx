import { Text, Title } from '@mantine/core';
import card from '../components/card.module.css';
import { CodePanel, CodeTabs } from '../components/code-panel.tsx';
import goReceiver from './receivers/receiver.go?raw';
import nodeReceiver from './receivers/receiver.mjs?raw';
import pythonReceiver from './receivers/receiver.py?raw';

const RECEIVERS = [
  {
    id: 'node',
    name: 'Node.js',
    needs: 'Needs Node.js 20 or newer.',
    file: 'receiver.mjs',
    run: 'node receiver.mjs',
    text: nodeReceiver,
  },
  {
    id: 'python',
    name: 'Python',
    needs: 'Needs Python 3.9 or newer.',
    file: 'receiver.py',
    run: 'python3 receiver.py',
    text: pythonReceiver,
  },
  {
    id: 'go',
    name: 'Go',
    needs: 'Needs Go 1.22 or newer.',
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
          Verify a signature
        </Title>
        <Text size="sm" c="dimmed">
          Anybody can post to your URL. Accept only what the secret of the webhook signed, and in the last five minutes.
          The signatures follow Standard Webhooks, so libraries for it work too. An event can arrive more than once,
          with the same webhook-id.
        </Text>
      </div>
      <CodeTabs panels={RECEIVERS}>{(receiver) => <Code receiver={receiver} />}</CodeTabs>
    </section>
  );
}

function Code({ receiver: { needs, file, run, text } }: { receiver: (typeof RECEIVERS)[number] }) {
  const purpose = (
    <>
      <Text size="sm" fw={500}>
        {needs} Nothing to install.
      </Text>
      <Text size="sm" c="dimmed" className="breaks">
        Save it as {file} and start it on port 8000: <code>WEBHOOK_SECRET=whsec_… {run}</code>
      </Text>
    </>
  );
  return <CodePanel text={text} purpose={purpose} />;
}
