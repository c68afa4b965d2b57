import { Alert, Anchor, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { ApiError, callWithEtag, hasStatus, issueAt } from '../../api/call.ts';
import { Dialog } from '../../components/form/dialog.tsx';
import { DialogForm } from '../../components/form/form.tsx';
import { AS_TYPED, inputProps } from '../../components/form/input.ts';
import { t } from '../../texts/texts.ts';
import { recordPath, type Scope, scopeParameter } from '../../users/scope.ts';
import { readRecord, type StoredRecord, showStored } from '../queries.ts';
import { Outdated } from './use-change.ts';

interface EmailDialogProps {
  scope: Scope;
  stored: StoredRecord;
  opened: boolean;
  onClose: () => void;
}

/** Changes the email of a record. Another record that has the email is shown. */
export function EmailDialog({ scope, stored, opened, onClose }: EmailDialogProps) {
  const [isDirty, setDirty] = useState(false);
  const close = (): void => {
    setDirty(false);
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={t.record.email.title} isDirty={isDirty}>
      <EmailForm scope={scope} stored={stored} onDirty={setDirty} onClose={close} />
    </Dialog>
  );
}

interface EmailFormProps extends Omit<EmailDialogProps, 'opened'> {
  onDirty: (isDirty: boolean) => void;
}

function EmailForm({ scope, stored, onDirty, onClose }: EmailFormProps) {
  const client = useQueryClient();
  const { id, email: former } = stored.record;
  const [email, setEmail] = useState(former);
  const change = useMutation({
    mutationFn: async ({ to, etag }: { to: string; etag: string }): Promise<StoredRecord> => {
      try {
        const saved = await callWithEtag('PUT /auth/users/:id/email', {
          params: { id },
          query: scopeParameter(scope),
          headers: { 'If-Match': etag },
          body: { email: to },
        });
        return { record: saved.body, etag: saved.etag };
      } catch (error) {
        if (hasStatus(error, 412)) throw new Outdated(await readRecord(scope, id));
        throw error;
      }
    },
    onSuccess: (saved) => {
      showStored(client, saved);
      notifications.show({ title: t.record.email.changed, message: saved.record.email });
    },
  });
  const { error } = change;
  const holder = takenBy(error);
  const problem = issueAt(error, 'email');
  const { etag } = error instanceof Outdated ? error.stored : stored;
  return (
    <DialogForm
      action={t.record.email.action}
      sending={change}
      error={holder !== undefined || problem !== undefined || error instanceof Outdated ? null : error}
      disabled={email.trim() === '' || email.trim() === former}
      onSubmit={() => change.mutate({ to: email.trim(), etag }, { onSuccess: onClose })}
      onCancel={onClose}
    >
      <Text>{t.record.email.note}</Text>
      <TextInput
        label={t.record.email.label}
        inputMode="email"
        autoComplete="off"
        {...AS_TYPED}
        data-autofocus
        maxLength={254}
        {...inputProps(email, (typed) => {
          setEmail(typed);
          onDirty(typed.trim() !== former);
        })}
        error={problem}
      />
      {holder !== undefined && (
        <Alert color="yellow" role="alert">
          {t.record.email.taken}{' '}
          <Anchor component={Link} href={recordPath(scope, holder)}>
            {t.record.email.openOther}
          </Anchor>
        </Alert>
      )}
      {error instanceof Outdated && (
        <Alert color="yellow" role="alert">
          {t.record.editing.changedMeanwhile}. {t.record.email.changeAnyway}
        </Alert>
      )}
    </DialogForm>
  );
}

/** The record that has the email already. */
function takenBy(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code !== 'emailTaken') return undefined;
  return typeof error.params?.id === 'string' ? error.params.id : undefined;
}
