import type { ReactNode } from 'react';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';

interface NewSecretProps {
  secret: string;
  onClose: () => void;
  /** Its purpose. */
  children: ReactNode;
}

export function NewSecret({ secret, onClose, children }: NewSecretProps) {
  const warning = 'Save it now where your program reads it. A lost secret can only be replaced.';
  return (
    <OneTimeSecret name="secret" text={secret} warning={warning} onClose={onClose}>
      {children}
    </OneTimeSecret>
  );
}
