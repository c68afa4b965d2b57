import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { callForFile } from '../../api/call.ts';
import { CopyButton } from '../../components/content/copy-button.tsx';
import { saveFile } from '../../components/content/save-file.ts';
import { Time } from '../../components/content/time.tsx';
import { DownloadIcon, TrashIcon } from '../../components/icons.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { formatNumber } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { recordPath, type Scope, scopeParameter } from '../../users/scope.ts';
import classes from '../privacy.module.css';
import { EntryData } from './entry-data.tsx';
import { ErasePerson } from './erase-person.tsx';
import { type ErasureReceipt, type PersonExport, personQuery } from './queries.ts';

type Entry = PersonExport['entries'][number];

interface PersonCardProps {
  scope: Scope | undefined;
  email: string;
}

/** Moves the focus to the new card. */
const focus = (element: HTMLElement | null): void => element?.focus();

/** The data of a person, with its export and its erasure. */
export function PersonCard({ scope, email }: PersonCardProps) {
  const person = useQuery(personQuery(scope, email));
  const [erasing, setErasing] = useState<{ sourceAppId: string | undefined }>();
  const [receipt, setReceipt] = useState<ErasureReceipt>();
  const { data, error } = person;
  const download = useMutation({
    mutationFn: async (shown: PersonExport) => {
      const query = scope ? scopeParameter(scope) : {};
      const { content } = await callForFile('POST /auth/people/export', { query, body: { email } });
      // With the files that the person sent.
      if (content.type === 'application/zip') saveFile(`${email}.zip`, content);
      else saveFile(`${email}.json`, jsonFile(shown));
    },
    onError: (refusal) =>
      notifications.show({ color: 'red', title: t.components.exportFailed, message: refusal.message }),
  });
  return (
    <section className={classes.person} aria-label={t.privacy.card.dataOf(email)}>
      <Group justify="space-between" gap="sm">
        <h3 className={classes.name} tabIndex={-1} ref={focus}>
          {email}
        </h3>
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            leftSection={<DownloadIcon size={14} />}
            disabled={!data}
            loading={download.isPending}
            onClick={() => data && download.mutate(data)}
          >
            {t.privacy.card.export}
          </Button>
          <Button
            variant="default"
            size="xs"
            c="var(--mantine-color-error)"
            leftSection={<TrashIcon size={14} />}
            disabled={!data}
            onClick={() => setErasing({ sourceAppId: scope?.sourceAppId })}
          >
            {scope ? t.privacy.card.erase : t.privacy.card.eraseInAllApps}
          </Button>
        </Group>
      </Group>
      {receipt && <Receipt receipt={receipt} />}
      {error && <LoadError error={error} onRetry={person.refetch} />}
      {!data && !error && <Loader size={18} aria-label={t.privacy.card.loading} />}
      {data?.entries.length === 0 && (
        <Text c="dimmed" mt="sm">
          {t.privacy.card.nothing}
        </Text>
      )}
      <ul className={classes.list} aria-label={t.privacy.card.data}>
        {data?.entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id of their own
          <EntryRow key={index} entry={entry} scope={scope} onErase={setErasing} />
        ))}
      </ul>
      <ErasePerson
        email={email}
        erasing={erasing}
        ofPage={scope?.sourceAppId}
        onClose={() => setErasing(undefined)}
        onErased={(done) => {
          setReceipt(done);
          setErasing(undefined);
          void person.refetch();
        }}
      />
    </section>
  );
}

interface EntryRowProps {
  entry: Entry;
  scope: Scope | undefined;
  onErase: (erasing: { sourceAppId: string }) => void;
}

function EntryRow({ entry, scope, onErase }: EntryRowProps) {
  const { kind, sourceAppId } = entry;
  const id = typeof entry.id === 'string' ? entry.id : undefined;
  const name = KINDS[kind] ?? kind;
  const ofApp = scope ?? (sourceAppId === undefined ? undefined : { sourceAppId, asAdmin: true });
  return (
    <li className={classes.entry}>
      <strong className={classes.kind}>
        {sourceAppId !== undefined ? t.privacy.card.inApp(name, sourceAppId) : t.privacy.card.inAllApps(name)}
      </strong>
      <Group gap="md">
        {kind === 'record' && id && ofApp && (
          <Link href={recordPath(ofApp, id)} className={classes.link ?? ''}>
            {t.privacy.card.open}
          </Link>
        )}
        {!scope && kind === 'record' && sourceAppId !== undefined && (
          <Button
            variant="subtle"
            size="compact-sm"
            c="var(--mantine-color-error)"
            aria-label={t.privacy.card.eraseInThisAppNamed(sourceAppId)}
            onClick={() => onErase({ sourceAppId })}
          >
            {t.privacy.card.eraseInThisApp}
          </Button>
        )}
      </Group>
      <EntryData entry={entry} app={sourceAppId === undefined ? undefined : ofApp} />
    </li>
  );
}

const KINDS: Partial<Record<string, string>> = t.privacy.card.kinds;

/** The kinds of data in a receipt. */
const ERASED: Partial<Record<string, (count: number) => string>> = t.privacy.card.erasedCounts;

function Receipt({ receipt: { id, at, erased } }: { receipt: ErasureReceipt }) {
  const held = Object.entries(erased)
    .filter(([name, number]) => number > 0 || name === 'records')
    .map(([name, number]) => ERASED[name]?.(number) ?? `${formatNumber(number)} ${name}`)
    .join(', ');
  return (
    <Alert color="green" title={t.privacy.card.erased} role="status" my="sm">
      <Text>{t.privacy.card.receipt(<span className="breaks">{id}</span>, <Time at={at} />, held)}</Text>
      <Group mt="xs">
        <CopyButton text={t.privacy.card.receiptText(id, at, held)} label={t.privacy.card.copyReceipt} />
      </Group>
    </Alert>
  );
}

const jsonFile = (data: unknown): Blob => new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' });
