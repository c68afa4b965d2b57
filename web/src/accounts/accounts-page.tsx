import { Button, Checkbox } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import apps from '../apps/apps-page.module.css';
import { checkboxProps } from '../components/form/input.ts';
import { PlusIcon } from '../components/icons.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { More } from '../components/table/cursor-pager.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { SearchBox } from '../components/table/search-box.tsx';
import { InviteDialog } from '../members/invite.tsx';
import { t } from '../texts/texts.ts';
import { AccountDialog, type OpenAccountDialog } from './account-dialogs.tsx';
import { AccountRows } from './account-rows.tsx';
import { accountsQuery, useAccountAdministration } from './queries.ts';

/** All accounts of the service. For administrators. */
export default function AccountsPage() {
  const [searchParams, setSearchParams] = useSearchParams();
  const q = searchParams.get('q') ?? '';
  const accounts = useInfiniteQuery(accountsQuery(q));
  const [isInviting, setInviting] = useState(false);
  const [dialog, setDialog] = useState<OpenAccountDialog>();
  const invite = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setInviting(true)}>
      {t.accounts.invite}
    </Button>
  );
  return (
    <>
      <PageHeader title={t.accounts.title} note={t.accounts.note}>
        {invite}
      </PageHeader>
      {accounts.error && <LoadError error={accounts.error} onRetry={accounts.refetch} />}
      <section className={card.card} aria-label={t.accounts.list}>
        <search className={apps.search}>
          <SearchBox
            label={t.accounts.search}
            value={q}
            onChange={(text) => setSearchParams(text === '' ? [] : [['q', text]], { replace: true })}
          />
        </search>
        <ListBody
          items={accounts.data?.pages.flatMap((page) => page.accounts)}
          error={accounts.error}
          rows={4}
          empty={
            q === '' ? (
              <EmptyState subject="members" title={t.accounts.none} action={invite}>
                {t.accounts.noneNote}
              </EmptyState>
            ) : (
              <EmptyState subject="search" title={t.accounts.noMatch}>
                {t.accounts.noMatchNote}
              </EmptyState>
            )
          }
        >
          {(list) => <AccountRows accounts={list} onOpen={setDialog} />}
        </ListBody>
        <More list={accounts}>{t.accounts.more}</More>
      </section>
      <InviteAccount opened={isInviting} onClose={() => setInviting(false)} />
      {dialog && <AccountDialog {...dialog} onClose={() => setDialog(undefined)} />}
    </>
  );
}

function InviteAccount({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { invite } = useAccountAdministration();
  const [admin, setAdmin] = useState(false);
  const close = (): void => {
    onClose();
    if (!invite.isPending) invite.reset();
    setAdmin(false);
  };
  return (
    <InviteDialog
      title={t.accounts.inviteTitle}
      opened={opened}
      created={invite.data}
      email={invite.variables?.email}
      sending={invite}
      onSubmit={(email) => invite.mutate({ email, admin })}
      onClose={close}
    >
      <Checkbox
        label={t.accounts.asAdministrator}
        description={t.accounts.asAdministratorNote}
        {...checkboxProps(admin, setAdmin)}
      />
    </InviteDialog>
  );
}
