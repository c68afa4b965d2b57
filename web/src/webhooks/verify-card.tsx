import { Tabs, Text, Title } from '@mantine/core';
import { CopyButton } from '../components/copy-button.tsx';
import goReceiver from './receivers/receiver.go?raw';
import nodeReceiver from './receivers/receiver.mjs?raw';
import pythonReceiver from './receivers/receiver.py?raw';
import classes from './webhooks.module.css';

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
    <section className={classes.card} aria-labelledby="verify-signature">
      <div className={classes.section}>
        <Title order={2} size="h4" id="verify-signature">
          Verify a signature
        </Title>
        <Text size="sm" c="dimmed">
          Anybody can post to your URL. Accept only what the secret of the webhook signed, and in the last five minutes.
          The signatures follow Standard Webhooks, so libraries for it work too. An event can arrive more than once,
          with the same webhook-id.
        </Text>
      </div>
      <Tabs defaultValue="node" keepMounted={false}>
        <Tabs.List px="xs">
          {RECEIVERS.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {RECEIVERS.map((receiver) => (
          <Tabs.Panel key={receiver.id} value={receiver.id}>
            <Code receiver={receiver} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  );
}

function Code({ receiver: { needs, file, run, text } }: { receiver: (typeof RECEIVERS)[number] }) {
  return (
    <>
      <div className={classes.codeTop}>
        <div>
          <Text size="sm" fw={500}>
            {needs} Nothing to install.
          </Text>
          <Text size="sm" c="dimmed" className="breaks">
            Save it as {file} and start it on port 8000: <code>WEBHOOK_SECRET=whsec_… {run}</code>
          </Text>
        </div>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable */}
      <pre className={classes.code} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </>
  );
}
