import { Alert, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { issueAt } from '../api/call.ts';
import type { MemberRole } from '../api/endpoints.ts';
import { OneTimeSecret, SecretDialog } from '../components/content/one-time-secret.tsx';
import { DialogForm, type Sending } from '../components/form/form.tsx';
import { isLocal } from '../connect/overview/origin.ts';
import { mailStatusQuery } from '../connect/queries.ts';
import { EmailInput } from '../session/account-log-in.tsx';
import { t } from '../texts/texts.ts';
import { useMemberChanges } from './queries.ts';
import { ROLES, roleOf } from './roles.ts';

interface InviteDialogProps {
  sourceAppId: string;
  opened: boolean;
  onClose: () => void;
}

/** Invites somebody to an app, and shows the link once. */
export function InviteMember({ sourceAppId, opened, onClose }: InviteDialogProps) {
  const { invite } = useMemberChanges(sourceAppId);
  const [role, setRole] = useState<MemberRole>('viewer');
  const close = (): void => {
    onClose();
    if (!invite.isPending) invite.reset();
    setRole('viewer');
  };
  return (
    <InviteDialog
      title={t.members.inviteTo(sourceAppId)}
      sourceAppId={sourceAppId}
      opened={opened}
      created={invite.data}
      email={invite.variables?.email}
      sending={invite}
      onSubmit={(email) => invite.mutate({ email, role })}
      onClose={close}
    >
      <Radio.Group label={t.members.role} value={role} onChange={(text) => setRole(roleOf(text))}>
        <Stack gap="xs" mt="xs">
          {ROLES.map(({ value, label, meaning }) => (
            <Radio key={value} value={value} label={label} description={meaning} />
          ))}
        </Stack>
      </Radio.Group>
    </InviteDialog>
  );
}

interface Props {
  title: string;
  /** The app that the person is invited to; absent: the service. */
  sourceAppId?: string;
  opened: boolean;
  created: { link: string } | undefined;
  /** The invited email. */
  email: string | undefined;
  sending: Sending;
  onSubmit: (email: string) => void;
  onClose: () => void;
  /** What the invitation gives. */
  children: ReactNode;
}

/** A dialog that invites an email, and then shows the link once. */
export function InviteDialog({ title, sourceAppId, opened, created, email, onClose, ...form }: Props) {
  const query = mailStatusQuery(sourceAppId === undefined ? {} : { sourceAppId });
  const { data: status } = useQuery({ ...query, enabled: created !== undefined });
  const maySend = status?.mail === true && status.links;
  const link = created && new URL(created.link);
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      title={created ? t.members.invitationCreated : title}
      isShown={created !== undefined}
    >
      {created ? (
        <OneTimeSecret name="link" text={created.link} warning={t.members.linkWarning} onClose={onClose}>
          <div className="breaks">
            {t.members.sendLink(email)} {maySend && t.members.linkByEmail}
          </div>
          {link && isLocal(link.hostname) && <Alert color="yellow">{t.members.linkOnlyHere(link.origin)}</Alert>}
        </OneTimeSecret>
      ) : (
        <InviteForm {...form} onClose={onClose} />
      )}
    </SecretDialog>
  );
}

type InviteFormProps = Pick<Props, 'sending' | 'onSubmit' | 'onClose' | 'children'>;

function InviteForm({ sending, onSubmit, onClose, children }: InviteFormProps) {
  const [email, setEmail] = useState('');
  const issue = issueAt(sending.error, 'email');
  return (
    <DialogForm
      noValidate
      action={t.members.invite}
      sending={sending}
      error={issue ? null : sending.error}
      disabled={email.trim() === ''}
      onSubmit={() => onSubmit(email.trim())}
      onCancel={onClose}
    >
      <EmailInput
        value={email}
        onChange={setEmail}
        isFirst
        autoComplete="off"
        error={issue && t.members.emailProblem(issue)}
      />
      {children}
    </DialogForm>
  );
}
