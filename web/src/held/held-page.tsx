import { Alert, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { issuesText } from '../api/call.ts';
import type { HeldSubmission } from '../api/endpoints.ts';
import { ConfirmRemoval } from '../components/form/confirm-dialog.tsx';
import { nameOfPath } from '../components/form/labels.ts';
import { CheckIcon } from '../components/icons.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { CursorPager, useCursorPages } from '../components/table/cursor-pager.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import { appPath, recordPath, type Scope } from '../users/scope.ts';
import classes from './held-page.module.css';
import { HeldRows } from './held-rows.tsx';
import { heldCountsQuery, heldQuery, totalOf, useDelete, useRelease } from './queries.ts';

/** The submissions that bot protection holds. An operator releases or deletes each. */
export default function HeldPage({ scope }: { scope: Scope }) {
  const pages = useCursorPages();
  const { data, error, refetch } = useQuery(heldQuery(scope, pages.cursor));
  const release = useRelease(scope);
  const [released, setReleased] = useState<HeldSubmission>();
  const [deleting, setDeleting] = useState<HeldSubmission>();
  return (
    <>
      <PageHeader title={t.held.title} note={t.held.note} />
      <Held scope={scope} />
      {error && <LoadError error={error} onRetry={refetch} />}
      <div aria-live="polite">{released && <Outcome scope={scope} held={released} release={release} />}</div>
      <section className={card.card} aria-label={t.held.title}>
        <ListBody
          items={data?.held}
          error={error}
          rows={4}
          empty={<NothingHeld scope={scope} isFirst={pages.isFirst} />}
        >
          {(shown) => (
            <HeldRows
              scope={scope}
              held={shown}
              releasing={release.isPending ? release.variables : undefined}
              onRelease={(held) => {
                setReleased(held);
                release.mutate(held.id);
              }}
              onDelete={setDeleting}
            />
          )}
        </ListBody>
        <CursorPager pages={pages} shown={data} />
      </section>
      <ConfirmRemoval
        id={deleting?.id}
        title={t.held.deleteTitle}
        remove={useDelete(scope)}
        onClose={() => setDeleting(undefined)}
      >
        <Text className="breaks">{t.held.deleteNote(deleting?.email)}</Text>
      </ConfirmRemoval>
    </>
  );
}

/** How many are held, and why forms of people are among them. */
function Held({ scope }: { scope: Scope }) {
  const { manage } = useAbilities();
  const { data: counts } = useQuery(heldCountsQuery(scope));
  const unproved = counts?.['no-proof'] ?? 0;
  const trapped = counts?.honeypot ?? 0;
  const total = counts ? totalOf(counts) : 0;
  if (total === 0) return null;
  const settings = manage ? (
    <Link href={appPath(scope, 'settings')} className={classes.link ?? ''}>
      {t.held.protectionSettings}
    </Link>
  ) : (
    t.held.settingsOfForm
  );
  return (
    <Alert mb="md" title={t.held.heldCount(total)}>
      {trapped > 0 && <p className={classes.reason}>{t.held.trapped(trapped)}</p>}
      {unproved > 0 && <p className={classes.reason}>{t.held.unproved(unproved, settings)}</p>}
      {total > unproved + trapped && <p className={classes.reason}>{t.held.unchecked(total - unproved - trapped)}</p>}
    </Alert>
  );
}

function NothingHeld({ scope, isFirst }: { scope: Scope; isFirst: boolean }) {
  const { manage } = useAbilities();
  return (
    <EmptyState
      subject="held"
      title={isFirst ? t.held.nothing : t.held.noOlder}
      action={
        manage && (
          <Button component={Link} href={appPath(scope, 'settings')} variant="default">
            {t.held.protectionSettings}
          </Button>
        )
      }
    >
      {t.held.nothingNote}
    </EmptyState>
  );
}

interface OutcomeProps {
  scope: Scope;
  held: HeldSubmission;
  release: ReturnType<typeof useRelease>;
}

function Outcome({ scope, held, release }: OutcomeProps) {
  const { data: schema } = useQuery(scopedSchemaQuery(scope));
  if (release.data) {
    return (
      <Alert color="green" mb="md" p="xs" icon={<CheckIcon size={16} />}>
        {t.held.stored(held.email)}{' '}
        <Link href={recordPath(scope, release.data.id)} className={classes.link ?? ''}>
          {t.common.showRecord}
        </Link>
      </Alert>
    );
  }
  if (!release.error) return null;
  return (
    <Alert color="red" mb="md" role="alert" title={t.held.notStored(held.email)}>
      {release.error.message}. {issuesText(release.error, (path) => nameOfPath(path, schema?.fields ?? []))}
    </Alert>
  );
}
