import { Loader, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { count } from '../../components/count.ts';
import { LoadError } from '../../components/load-error.tsx';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';
import { countQuery } from '../../users/list/use-user-count.ts';
import type { Scope } from '../../users/scope.ts';
import { type Retention, retentionWords } from './retention-card.tsx';

const DAY_MS = 86_400_000;

interface ConfirmRetentionProps {
  scope: Scope;
  wanted: NonNullable<Retention>;
  pending: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}

/** Shows how many users a setting would erase at once, before it is saved. */
export function ConfirmRetention({ scope, wanted, pending, error, onConfirm, onClose }: ConfirmRetentionProps) {
  const { days, basis } = wanted;
  const before = new Date(Date.now() - days * DAY_MS);
  // To the minute, so that the query stays the same while the dialog is open.
  before.setUTCSeconds(0, 0);
  const where = [`${basis}:lt:${before.toISOString()}`];
  const counted = useQuery({ ...countQuery(scope, { q: '', where }, 'exact'), gcTime: 0 });
  if (!counted.data) {
    return (
      <Modal opened onClose={onClose} title="Erase users automatically">
        {counted.error && <LoadError error={counted.error} onRetry={counted.refetch} />}
        {counted.isFetching && (
          <Text size="sm" role="status">
            <Loader size={14} mr="xs" aria-hidden="true" /> Counting the users that this would erase…
          </Text>
        )}
      </Modal>
    );
  }
  const { total, is } = counted.data;
  return (
    <TypedConfirmation
      opened
      title="Erase users automatically"
      label="App ID"
      expected={scope.sourceAppId}
      action="Save retention"
      pending={pending}
      error={error}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Text size="sm">{retentionWords(wanted)}</Text>
      <Text size="sm">
        {total === 0 ? (
          'No user is that old now. '
        ) : (
          <>
            <strong>
              {is === 'exact' ? '' : 'At least '}
              {count(total, 'user')}
            </strong>{' '}
            {total === 1 ? 'is' : 'are'} that old now and will be erased within an hour, permanently.{' '}
          </>
        )}
        Others follow when they reach that age.
      </Text>
    </TypedConfirmation>
  );
}
