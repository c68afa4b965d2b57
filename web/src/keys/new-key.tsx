import { Text } from '@mantine/core';
import { OneTimeSecret } from '../components/one-time-secret.tsx';
import { t } from '../texts/texts.ts';

export function NewKey({ text, onClose }: { text: string; onClose: () => void }) {
  return (
    <OneTimeSecret name="key" text={text} warning={t.keys.warning} onClose={onClose}>
      <Text>{t.keys.use()}</Text>
    </OneTimeSecret>
  );
}
