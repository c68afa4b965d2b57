import { Checkbox, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/mutations.ts';
import { TypedConfirmation } from '../../components/form/confirm-dialog.tsx';
import { checkboxProps } from '../../components/form/input.ts';
import { t } from '../../texts/texts.ts';
import type { ErasureReceipt } from './queries.ts';

interface ErasePersonProps {
  email: string;
  /** The app of the erasure, as the request names it; undefined while no dialog is open. */
  erasing: { sourceAppId: string | undefined } | undefined;
  /** The app of the page; undefined: all apps. */
  ofPage: string | undefined;
  onClose: () => void;
  onErased: (receipt: ErasureReceipt) => void;
}

/** Erases all data of a person, after their email was typed. */
export function ErasePerson({ email, erasing, ofPage, onClose, onErased }: ErasePersonProps) {
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
      void invalidate(client, 'users', 'stats', 'people', 'all-users', 'user', 'held');
    },
  });
  const close = (): void => {
    onClose();
    erase.reset();
  };
  const { title, note } = textsOf(erasing ? erasing.sourceAppId : ofPage);
  return (
    <TypedConfirmation
      opened={erasing !== undefined}
      title={title}
      label={t.common.email}
      expected={email}
      action={t.privacy.erasing.action}
      sending={erase}
      onConfirm={() => erase.mutate()}
      onClose={close}
    >
      <Text>{note}</Text>
      <Checkbox
        label={t.privacy.erasing.suppress}
        description={t.privacy.erasing.suppressNote}
        {...checkboxProps(suppress, setSuppress)}
      />
    </TypedConfirmation>
  );
}

function textsOf(sourceAppId: string | undefined): { title: string; note: string } {
  const texts = t.privacy.erasing;
  if (sourceAppId !== undefined) return { title: texts.inApp(sourceAppId), note: texts.noteInApp(sourceAppId) };
  return { title: texts.inAllApps, note: texts.noteInAllApps };
}
