import { Text } from '@mantine/core';
import { OneTimeSecret } from '../components/one-time-secret.tsx';

export function NewKey({ text, onClose }: { text: string; onClose: () => void }) {
  const warning =
    "The service stores only a hash of the key. Save it where your program reads its secrets. A lost key can't be recovered: delete it and create another.";
  return (
    <OneTimeSecret name="key" text={text} warning={warning} onClose={onClose}>
      <Text size="sm">
        Programs send this key with each request, as <code>Authorization: Bearer uck_…</code>
      </Text>
    </OneTimeSecret>
  );
}
