import { Badge, Button, NativeSelect, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Section } from '../account/section.tsx';
import type { Invitation, Member } from '../api/endpoints.ts';
import card from '../components/card.module.css';
import { ConfirmRemoval } from '../components/confirm-dialog.tsx';
import table from '../components/data-table.module.css';
import { ActionsHeader, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PlusIcon } from '../components/icons.tsx';
import { ListBody } from '../components/list-body.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Problem } from '../components/problem.tsx';
import { Time } from '../components/time.tsx';
import { t } from '../texts/texts.ts';
import { InviteMember } from './invite.tsx';
import classes from './members.module.css';
import { invitationsQuery, membersQuery, useMemberChanges } from './queries.ts';
import { ROLES, roleOf } from './roles.ts';
import { SharedLogin } from './shared-login.tsx';

/** The people who work on an app: members, open invitations, and the password of the app. */
export function MembersPage({ sourceAppId }: { sourceAppId: string }) {
  const members = useQuery(membersQuery(sourceAppId));
  const [isInviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Member>();
  const { change } = useMemberChanges(sourceAppId);
  const invite = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setInviting(true)}>
      {t.members.invite}
    </Button>
  );
  return (
    <>
      <PageHeader title={t.members.title} note={t.members.note(sourceAppId)}>
        {invite}
      </PageHeader>
      <div className={card.stack}>
        {members.error && <LoadError error={members.error} onRetry={members.refetch} />}
        <Problem error={change.error} />
        <section className={card.card} aria-label={t.members.title}>
          <ListBody
            items={members.data}
            error={members.error}
            rows={3}
            empty={
              <EmptyState title={t.members.none} action={invite}>
                {t.members.noneNote}
              </EmptyState>
            }
          >
            {(list) => <MemberRows members={list} change={change} onRemove={setRemoving} />}
          </ListBody>
          {members.data?.some(({ byGroups }) => byGroups) && (
            <Text c="dimmed" p="md">
              {t.members.byGroupNote}
            </Text>
          )}
        </section>
        <Invitations sourceAppId={sourceAppId} />
        <SharedLogin sourceAppId={sourceAppId} />
      </div>
      <InviteMember sourceAppId={sourceAppId} opened={isInviting} onClose={() => setInviting(false)} />
      <RemoveDialog sourceAppId={sourceAppId} removed={removing} onClose={() => setRemoving(undefined)} />
    </>
  );
}

interface MemberRowsProps {
  members: readonly Member[];
  change: ReturnType<typeof useMemberChanges>['change'];
  onRemove: (member: Member) => void;
}

function MemberRows({ members, change, onRemove }: MemberRowsProps) {
  return (
    <DataTable
      label={t.members.table}
      width={640}
      isQuiet
      head={
        <>
          <Table.Th>{t.members.member}</Table.Th>
          <Table.Th>{t.members.role}</Table.Th>
          <Table.Th data-wide-only>{t.members.secondFactor}</Table.Th>
          <Table.Th data-wide-only>{t.members.added}</Table.Th>
          <ActionsHeader />
        </>
      }
    >
      {members.map((member) => (
        <Table.Tr key={member.id}>
          <Table.Td className="breaks">
            {member.name} {member.suspended && <Badge color="red">{t.members.suspended}</Badge>}
            <div className={table.detail}>{member.email}</div>
            <div className={table.onPhone}>
              {member.secondFactor
                ? t.members.withSecondFactor(<Time at={member.addedAt} relative />)
                : t.members.withoutSecondFactor(<Time at={member.addedAt} relative />)}
            </div>
          </Table.Td>
          <Table.Td>
            {member.byGroups ? (
              <>
                {t.members.labels[member.role]}
                <div className={table.detail}>{t.members.byGroup}</div>
              </>
            ) : (
              <NativeSelect
                size="xs"
                className={classes.role ?? ''}
                aria-label={t.members.roleOf(member.email)}
                data={ROLES.map(({ value, label }) => ({ value, label }))}
                value={change.isPending && change.variables.id === member.id ? change.variables.role : member.role}
                disabled={change.isPending}
                onChange={(event) => change.mutate({ id: member.id, role: roleOf(event.currentTarget.value) })}
              />
            )}
          </Table.Td>
          <Table.Td data-wide-only>{member.secondFactor ? t.members.on : t.members.off}</Table.Td>
          <Table.Td data-wide-only>
            <Time at={member.addedAt} relative />
          </Table.Td>
          <Table.Td className={table.right ?? ''}>
            {!member.byGroups && (
              <Button
                size="xs"
                variant="subtle"
                color="red"
                aria-label={t.members.remove(member.email)}
                onClick={() => onRemove(member)}
              >
                {t.common.remove}
              </Button>
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

interface RemoveDialogProps {
  sourceAppId: string;
  removed: Member | undefined;
  onClose: () => void;
}

function RemoveDialog({ sourceAppId, removed, onClose }: RemoveDialogProps) {
  const { remove } = useMemberChanges(sourceAppId);
  return (
    <ConfirmRemoval
      id={removed?.id}
      title={t.members.removeTitle}
      action={t.common.remove}
      remove={remove}
      onClose={onClose}
    >
      <Text className="breaks">{t.members.removeNote(removed?.email, sourceAppId)}</Text>
    </ConfirmRemoval>
  );
}

function Invitations({ sourceAppId }: { sourceAppId: string }) {
  const { data = [], error, refetch } = useQuery(invitationsQuery(sourceAppId));
  const { withdraw } = useMemberChanges(sourceAppId);
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (data.length === 0) return null;
  return (
    <Section id="invitations" title={t.members.invitations}>
      <Problem error={withdraw.error} />
      <DataTable
        label={t.members.invitationTable}
        width={640}
        isQuiet
        head={
          <>
            <Table.Th>{t.common.email}</Table.Th>
            <Table.Th data-wide-only>{t.members.role}</Table.Th>
            <Table.Th data-wide-only>{t.members.ends}</Table.Th>
            <ActionsHeader />
          </>
        }
      >
        {data.map((invitation) => (
          <InvitationRow
            key={invitation.id}
            invitation={invitation}
            pending={withdraw.isPending && withdraw.variables === invitation.id}
            onWithdraw={() => withdraw.mutate(invitation.id)}
          />
        ))}
      </DataTable>
    </Section>
  );
}

interface InvitationRowProps {
  invitation: Invitation;
  pending: boolean;
  onWithdraw: () => void;
}

function InvitationRow({ invitation: { email, role, expiresAt }, pending, onWithdraw }: InvitationRowProps) {
  return (
    <Table.Tr>
      <Table.Td className="breaks">
        {email}
        <div className={table.onPhone}>{t.members.roleUntil(t.members.roles[role], <Time at={expiresAt} />)}</div>
      </Table.Td>
      <Table.Td data-wide-only>{t.members.labels[role]}</Table.Td>
      <Table.Td data-wide-only>
        <Time at={expiresAt} />
      </Table.Td>
      <Table.Td className={table.right ?? ''}>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          loading={pending}
          aria-label={t.members.withdrawOf(email)}
          onClick={onWithdraw}
        >
          {t.members.withdraw}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
