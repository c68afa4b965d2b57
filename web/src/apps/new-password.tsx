import { Text } from '@mantine/core';
import { OneTimeSecret } from '../components/content/one-time-secret.tsx';
import { t } from '../texts/texts.ts';

interface NewPasswordProps {
  sourceAppId: string;
  password: string;
  onClose: () => void;
  /** The label of the button that closes the dialog. */
  done?: string;
}

export function NewPassword({ sourceAppId, password, done, onClose }: NewPasswordProps) {
  return (
    <OneTimeSecret name="password" text={password} warning={t.apps.passwordWarning} done={done} onClose={onClose}>
      <Text>{t.apps.passwordNote(<strong className="breaks">{sourceAppId}</strong>)}</Text>
    </OneTimeSecret>
  );
}
