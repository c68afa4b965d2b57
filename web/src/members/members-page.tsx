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
import { InviteMember } from './invite.tsx';
import classes from './members.module.css';
import { invitationsQuery, membersQuery, useMemberChanges } from './queries.ts';
import { labelOf, ROLES, roleOf } from './roles.ts';
import { SharedLogin } from './shared-login.tsx';

/** The people who work on an app: members, open invitations, and the password of the app. */
export function MembersPage({ sourceAppId }: { sourceAppId: string }) {
  const members = useQuery(membersQuery(sourceAppId));
  const [isInviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Member>();
  const { change } = useMemberChanges(sourceAppId);
  const invite = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setInviting(true)}>
      Invite
    </Button>
  );
  return (
    <>
      <PageHeader title="Members" note={`People who work on ${sourceAppId}, each with an account of their own`}>
        {invite}
      </PageHeader>
      <div className={card.stack}>
        {members.error && <LoadError error={members.error} onRetry={members.refetch} />}
        <Problem error={change.error} />
        <section className={card.card} aria-label="Members">
          <ListBody
            items={members.data}
            error={members.error}
            rows={3}
            empty={
              <EmptyState title="No members yet" action={invite}>
                Invite people by email. Each gets a role, and the audit log names them.
              </EmptyState>
            }
          >
            {(list) => <MemberRows members={list} change={change} onRemove={setRemoving} />}
          </ListBody>
          {members.data?.some(({ byGroups }) => byGroups) && (
            <Text size="sm" c="dimmed" p="md">
              A role by group comes from the groups of the single sign-on. Change it there.
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
      label="Table of members"
      width={640}
      isQuiet
      head={
        <>
          <Table.Th>Member</Table.Th>
          <Table.Th>Role</Table.Th>
          <Table.Th data-wide-only>Second factor</Table.Th>
          <Table.Th data-wide-only>Added</Table.Th>
          <ActionsHeader />
        </>
      }
    >
      {members.map((member) => (
        <Table.Tr key={member.id}>
          <Table.Td className="breaks">
            {member.name}{' '}
            {member.suspended && (
              <Badge variant="light" color="red" tt="none">
                Suspended
              </Badge>
            )}
            <div className={table.detail}>{member.email}</div>
            <div className={table.onPhone}>
              {member.secondFactor ? 'Second factor on' : 'No second factor'}, <Time at={member.addedAt} relative />
            </div>
          </Table.Td>
          <Table.Td>
            {member.byGroups ? (
              <>
                {labelOf(member.role)}
                <div className={table.detail}>by group</div>
              </>
            ) : (
              <NativeSelect
                size="xs"
                className={classes.role ?? ''}
                aria-label={`Role of ${member.email}`}
                data={ROLES.map(({ value, label }) => ({ value, label }))}
                value={change.isPending && change.variables.id === member.id ? change.variables.role : member.role}
                disabled={change.isPending}
                onChange={(event) => change.mutate({ id: member.id, role: roleOf(event.currentTarget.value) })}
              />
            )}
          </Table.Td>
          <Table.Td data-wide-only>{member.secondFactor ? 'On' : 'Off'}</Table.Td>
          <Table.Td data-wide-only>
            <Time at={member.addedAt} relative />
          </Table.Td>
          <Table.Td className={table.right ?? ''}>
            {!member.byGroups && (
              <Button
                size="xs"
                variant="subtle"
                color="red"
                aria-label={`Remove ${member.email}`}
                onClick={() => onRemove(member)}
              >
                Remove
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
    <ConfirmRemoval id={removed?.id} title="Remove this member?" action="Remove" remove={remove} onClose={onClose}>
      <Text size="sm" className="breaks">
        <strong>{removed?.email}</strong> can no longer open {sourceAppId}. The account stays, and you can invite it
        again.
      </Text>
    </ConfirmRemoval>
  );
}

function Invitations({ sourceAppId }: { sourceAppId: string }) {
  const { data = [], error, refetch } = useQuery(invitationsQuery(sourceAppId));
  const { withdraw } = useMemberChanges(sourceAppId);
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (data.length === 0) return null;
  return (
    <Section id="invitations" title="Open invitations">
      <Problem error={withdraw.error} />
      <DataTable
        label="Table of invitations"
        width={640}
        isQuiet
        head={
          <>
            <Table.Th>Email</Table.Th>
            <Table.Th data-wide-only>Role</Table.Th>
            <Table.Th data-wide-only>Ends</Table.Th>
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
        <div className={table.onPhone}>
          {role}, ends <Time at={expiresAt} />
        </div>
      </Table.Td>
      <Table.Td data-wide-only>{labelOf(role)}</Table.Td>
      <Table.Td data-wide-only>
        <Time at={expiresAt} />
      </Table.Td>
      <Table.Td className={table.right ?? ''}>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          loading={pending}
          aria-label={`Withdraw the invitation of ${email}`}
          onClick={onWithdraw}
        >
          Withdraw
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
