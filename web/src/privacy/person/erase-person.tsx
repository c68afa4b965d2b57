import { Checkbox, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';
import type { ErasureReceipt } from './queries.ts';

interface ErasePersonProps {
  email: string;
  /** The app of the erasure, as the request names it; undefined while no dialog is open. */
  erasing: { sourceAppId: string | undefined } | undefined;
  isInOneApp: boolean;
  onClose: () => void;
  onErased: (receipt: ErasureReceipt) => void;
}

/** Erases all data of a person, after their email was typed. */
export function ErasePerson({ email, erasing, isInOneApp, onClose, onErased }: ErasePersonProps) {
  const client = useQueryClient();
  const [suppress, setSuppress] = useState(false);
  const erase = useMutation({
    mutationFn: () =>
      call('POST /auth/people/erase', {
        query: { sourceAppId: erasing?.sourceAppId },
        body: { email, suppress },
      }),
    onSuccess: (receipt) => {
      onErased(receipt);
      for (const name of ['users', 'stats', 'people', 'all-users', 'user', 'held']) {
        void client.invalidateQueries({ queryKey: [name] });
      }
    },
  });
  const close = (): void => {
    onClose();
    erase.reset();
  };
  const place = erasing?.sourceAppId ?? (isInOneApp ? 'this app' : 'all apps');
  return (
    <TypedConfirmation
      opened={erasing !== undefined}
      title={`Erase in ${place}`}
      label="Email"
      expected={email}
      action="Erase permanently"
      pending={erase.isPending}
      error={erase.error}
      onConfirm={() => erase.mutate()}
      onClose={close}
    >
      <Text size="sm">
        This deletes everything that is held of this person in {place}: records, lists, consents and held submissions. A
        later submission with the same email creates a new record.
      </Text>
      <Checkbox
        label="No import may bring the person back"
        description="Keeps a keyed hash of the email, and nothing else."
        checked={suppress}
        onChange={(event) => setSuppress(event.currentTarget.checked)}
      />
    </TypedConfirmation>
  );
}
