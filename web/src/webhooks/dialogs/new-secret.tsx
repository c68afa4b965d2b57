import type { ReactNode } from 'react';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { t } from '../../texts/texts.ts';

interface NewSecretProps {
  secret: string;
  onClose: () => void;
  /** Its purpose. */
  children: ReactNode;
}

export function NewSecret({ secret, onClose, children }: NewSecretProps) {
  return (
    <OneTimeSecret name="secret" text={secret} warning={t.webhooks.secretWarning} onClose={onClose}>
      {children}
    </OneTimeSecret>
  );
}
