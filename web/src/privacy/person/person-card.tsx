import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../components/copy-button.tsx';
import { count } from '../../components/count.ts';
import { DownloadIcon, TrashIcon } from '../../components/icons.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { saveFile } from '../../components/save-file.ts';
import { Time } from '../../components/time.tsx';
import { type Scope, scopeParameter, usersPath } from '../../users/scope.ts';
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
  const own = scope && scopeParameter(scope).sourceAppId;
  return (
    <section className={classes.person} aria-label={`Data of ${email}`}>
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
            onClick={() => data && saveFile(`${email}.json`, jsonFile(data))}
          >
            Export everything
          </Button>
          <Button
            variant="default"
            size="xs"
            c="var(--mantine-color-error)"
            leftSection={<TrashIcon size={14} />}
            disabled={!data}
            onClick={() => setErasing({ sourceAppId: own })}
          >
            {scope ? 'Erase everything' : 'Erase in all apps'}
          </Button>
        </Group>
      </Group>
      {receipt && <Receipt receipt={receipt} />}
      {error && <LoadError error={error} onRetry={person.refetch} />}
      {!data && !error && <Loader size={18} aria-label="Loading" />}
      {data?.entries.length === 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Nothing is held of this person.
        </Text>
      )}
      <ul className={classes.list} aria-label="Held data">
        {data?.entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id of their own
          <EntryRow key={index} entry={entry} scope={scope} onErase={setErasing} />
        ))}
      </ul>
      <ErasePerson
        email={email}
        erasing={erasing}
        isInOneApp={scope !== undefined || erasing?.sourceAppId !== undefined}
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

function EntryRow({ entry: { kind, sourceAppId, ...rest }, scope, onErase }: EntryRowProps) {
  const id = 'id' in rest && typeof rest.id === 'string' ? rest.id : undefined;
  const ofApp = scope ?? (sourceAppId === undefined ? undefined : { sourceAppId, asAdmin: true });
  return (
    <li className={classes.entry}>
      <strong className={classes.kind}>
        {KINDS[kind] ?? kind}
        {sourceAppId !== undefined ? ` in ${sourceAppId}` : ' in all apps'}
      </strong>
      <Group gap="md">
        {kind === 'record' && id && ofApp && (
          <Link href={`${usersPath(ofApp)}/${id}`} className={classes.link ?? ''}>
            Open
          </Link>
        )}
        {!scope && kind === 'record' && sourceAppId !== undefined && (
          <Button
            variant="subtle"
            size="compact-sm"
            c="var(--mantine-color-error)"
            aria-label={`Erase in this app: ${sourceAppId}`}
            onClick={() => onErase({ sourceAppId })}
          >
            Erase in this app
          </Button>
        )}
      </Group>
      <EntryData members={rest} />
    </li>
  );
}

const KINDS: Partial<Record<string, string>> = {
  delivery: 'Event for a webhook',
  mail: 'Email in the queue',
  'import-line': 'Line of an import',
  'import-reject': 'Refused line of an import',
  record: 'Record',
  held: 'Held submission',
  suppression: 'Marked so that no import brings the person back,',
};

/** The kinds of data in a receipt. */
const ERASED: Record<string, { one: string; many: string }> = {
  records: { one: 'record', many: 'records' },
  held: { one: 'held submission', many: 'held submissions' },
  deliveries: { one: 'delivery', many: 'deliveries' },
};

function Receipt({ receipt: { id, at, erased } }: { receipt: ErasureReceipt }) {
  const held = Object.entries(erased)
    .filter(([name, number]) => number > 0 || name === 'records')
    .map(([name, number]) => count(number, ERASED[name]?.one ?? name, ERASED[name]?.many ?? name))
    .join(', ');
  const text = `Erasure ${id} at ${at}: ${held}`;
  return (
    <Alert color="green" variant="light" title="Erased" role="status" my="sm">
      <Text size="sm">
        Receipt <span className="breaks">{id}</span>, <Time at={at} />: {held}. The receipt has no personal data.
      </Text>
      <Group mt="xs">
        <CopyButton text={text} label="Copy receipt" />
      </Group>
    </Alert>
  );
}

const jsonFile = (data: unknown): Blob => new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' });
