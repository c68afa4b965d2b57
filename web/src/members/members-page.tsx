import { Badge, Button, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member, MemberRole } from '../api/endpoints.ts';
import emails from '../components/content/addresses.module.css';
import { Email } from '../components/content/addresses.tsx';
import { Time } from '../components/content/time.tsx';
import { ConfirmDialog, ConfirmRemoval } from '../components/form/confirm-dialog.tsx';
import { Problem } from '../components/form/problem.tsx';
import { RemoveButton } from '../components/form/remove-button.tsx';
import { PlusIcon } from '../components/icons.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { Section } from '../components/page/section.tsx';
import table from '../components/table/data-table.module.css';
import { DataTable } from '../components/table/data-table.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { useSession } from '../session/session.ts';
import { t } from '../texts/texts.ts';
import { InviteMember } from './invite.tsx';
import { invitationsQuery, membersQuery, useMemberChanges } from './queries.ts';
import { ROLES, roleOf } from './roles.ts';
import { SharedLogin } from './shared-login.tsx';

/** The people who work on an app: members, open invitations, and the password of the app. */
export default function MembersPage({ sourceAppId }: { sourceAppId: string }) {
  const members = useQuery(membersQuery(sourceAppId));
  const [isInviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Member>();
  const { change, remove } = useMemberChanges(sourceAppId);
  const ownId = useOwnId();
  // Only another manager can take it back.
  const [ownChange, setOwnChange] = useState<RoleChange>();
  const changeRole = (next: RoleChange): void => (next.id === ownId ? setOwnChange(next) : change.mutate(next));
  const closeOwnChange = (): void => {
    setOwnChange(undefined);
    change.reset();
  };
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
        {!ownChange && <Problem error={change.error} />}
        <section className={card.card} aria-label={t.members.title}>
          <ListBody
            items={members.data}
            error={members.error}
            rows={3}
            empty={
              <EmptyState subject="members" title={t.members.none} action={invite}>
                {t.members.noneNote}
              </EmptyState>
            }
          >
            {(list) => <MemberRows members={list} change={change} onRole={changeRole} onRemove={setRemoving} />}
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
      <ConfirmRemoval
        id={removing?.id}
        title={t.members.removeTitle}
        action={t.common.remove}
        remove={remove}
        onClose={() => setRemoving(undefined)}
      >
        <Text className="breaks">{t.members.removeNote(removing?.email, sourceAppId)}</Text>
      </ConfirmRemoval>
      <ConfirmDialog
        opened={ownChange !== undefined}
        title={t.members.ownRoleTitle}
        action={t.members.changeOwnRole}
        isDangerous
        sending={change}
        onConfirm={() => ownChange && change.mutate(ownChange, { onSuccess: closeOwnChange })}
        onClose={closeOwnChange}
      >
        <Text>{t.members.ownRoleNote}</Text>
      </ConfirmDialog>
    </>
  );
}

/** The account of the reader; undefined for an admin, who needs no role. */
function useOwnId(): string | undefined {
  const { data: session } = useSession();
  return session && session.state !== 'loggedOut' && session.role !== 'admin' ? session.account?.id : undefined;
}

interface RoleChange {
  id: string;
  role: MemberRole;
}

interface MemberRowsProps {
  members: readonly Member[];
  change: ReturnType<typeof useMemberChanges>['change'];
  onRole: (change: RoleChange) => void;
  onRemove: (member: Member) => void;
}

function MemberRows({ members, change, onRole, onRemove }: MemberRowsProps) {
  return (
    <DataTable
      label={t.members.table}
      width={640}
      rows={members}
      columns={[
        { name: t.members.member, className: `breaks ${emails.cell}`, cell: (member) => <Name member={member} /> },
        { name: t.members.role, cell: (member) => <Role member={member} change={change} onRole={onRole} /> },
        {
          name: t.members.secondFactor,
          cell: ({ secondFactor }) => (secondFactor ? t.members.on : t.members.off),
        },
        { name: t.members.added, cell: ({ addedAt }) => <Time at={addedAt} relative /> },
      ]}
      actions={(member) =>
        !member.byGroups && (
          <RemoveButton label={t.members.remove(member.email)} onClick={() => onRemove(member)}>
            {t.common.remove}
          </RemoveButton>
        )
      }
    />
  );
}

function Name({ member: { name, email, suspended } }: { member: Member }) {
  return (
    <>
      {name} {suspended && <Badge color="red">{t.members.suspended}</Badge>}
      <div className={table.detail}>
        <Email>{email}</Email>
      </div>
    </>
  );
}

interface RoleProps extends Pick<MemberRowsProps, 'change' | 'onRole'> {
  member: Member;
}

function Role({ member: { id, email, role, byGroups }, change, onRole }: RoleProps) {
  if (byGroups) {
    return (
      <>
        {t.members.labels[role]}
        <div className={table.detail}>{t.members.byGroup}</div>
      </>
    );
  }
  return (
    <NativeSelect
      size="xs"
      miw={104}
      aria-label={t.members.roleOf(email)}
      data={ROLES.map(({ value, label }) => ({ value, label }))}
      value={change.isPending && change.variables.id === id ? change.variables.role : role}
      disabled={change.isPending}
      onChange={(event) => onRole({ id, role: roleOf(event.currentTarget.value) })}
    />
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
        rows={data}
        columns={[
          {
            name: t.common.email,
            className: emails.cell,
            cell: ({ email }) => <Email>{email}</Email>,
          },
          { name: t.members.role, cell: ({ role }) => t.members.labels[role] },
          { name: t.members.ends, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
        ]}
        actions={({ id, email }) => (
          <RemoveButton
            loading={withdraw.isPending && withdraw.variables === id}
            label={t.members.withdrawOf(email)}
            onClick={() => withdraw.mutate(id)}
          >
            {t.members.withdraw}
          </RemoveButton>
        )}
      />
    </Section>
  );
}
