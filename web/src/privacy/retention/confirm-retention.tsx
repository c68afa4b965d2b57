import { Loader, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TypedConfirmation } from '../../components/form/confirm-dialog.tsx';
import type { Sending } from '../../components/form/form.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { t } from '../../texts/texts.ts';
import { countQuery } from '../../users/list/use-user-count.ts';
import type { Scope } from '../../users/scope.ts';
import { type Retention, retentionWords } from './retention-card.tsx';

const DAY_MS = 86_400_000;

interface ConfirmRetentionProps {
  scope: Scope;
  wanted: NonNullable<Retention>;
  sending: Sending;
  onConfirm: () => void;
  onClose: () => void;
}

/** Shows how many users a setting would erase at once, before it is saved. */
export function ConfirmRetention({ scope, wanted, sending, onConfirm, onClose }: ConfirmRetentionProps) {
  const { days, basis } = wanted;
  const before = new Date(Date.now() - days * DAY_MS);
  // To the minute, so that the query stays the same while the dialog is open.
  before.setUTCSeconds(0, 0);
  const where = [`${basis}:lt:${before.toISOString()}`];
  const counted = useQuery({ ...countQuery(scope, { q: '', where }, 'exact'), gcTime: 0 });
  if (!counted.data) {
    return (
      <Modal opened onClose={onClose} title={t.privacy.retention.erase}>
        {counted.error && <LoadError error={counted.error} onRetry={counted.refetch} />}
        {counted.isFetching && (
          <Text role="status">
            <Loader size={14} mr="xs" aria-hidden="true" /> {t.privacy.retention.counting}
          </Text>
        )}
      </Modal>
    );
  }
  const { total, is } = counted.data;
  return (
    <TypedConfirmation
      opened
      title={t.privacy.retention.erase}
      label={t.privacy.retention.appId}
      expected={scope.sourceAppId}
      action={t.privacy.retention.save}
      sending={sending}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Text>{retentionWords(wanted)}</Text>
      <Text>{nowText(total, is === 'exact')}</Text>
    </TypedConfirmation>
  );
}

function nowText(total: number, isExact: boolean): ReactNode {
  if (total === 0) return t.privacy.retention.noneNow;
  return isExact ? t.privacy.retention.someNow(total) : t.privacy.retention.manyNow(total);
}
