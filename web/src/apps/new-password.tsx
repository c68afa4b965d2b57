import { Text } from '@mantine/core';
import { OneTimeSecret } from '../components/one-time-secret.tsx';

interface NewPasswordProps {
  sourceAppId: string;
  password: string;
  onClose: () => void;
  /** The label of the button that closes the dialog. */
  done?: string;
}

export function NewPassword({ sourceAppId, password, done, onClose }: NewPasswordProps) {
  const warning =
    "The service stores only a hash of the password. Save it in a password manager now. A lost password can't be recovered, only replaced.";
  return (
    <OneTimeSecret name="password" text={password} warning={warning} done={done} onClose={onClose}>
      <Text size="sm">
        Operators of <strong className="breaks">{sourceAppId}</strong> log in with this password.
      </Text>
    </OneTimeSecret>
  );
}
