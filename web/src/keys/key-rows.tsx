import { Badge, Group } from '@mantine/core';
import type { ApiKey } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { RemoveButton } from '../components/form/remove-button.tsx';
import table from '../components/table/data-table.module.css';
import { DataTable } from '../components/table/data-table.tsx';
import { t } from '../texts/texts.ts';
import classes from './keys-page.module.css';

export function KeyRows({ keys, onDelete }: { keys: readonly ApiKey[]; onDelete: (key: ApiKey) => void }) {
  return (
    <DataTable
      label={t.keys.table}
      width={720}
      rows={keys}
      columns={[
        { name: t.common.name, className: 'breaks', cell: (key) => <Name apiKey={key} /> },
        { name: t.keys.allowedTo, cell: (key) => <Scopes of={key} /> },
        { name: t.keys.lastUsed, cell: (key) => <LastUse apiKey={key} /> },
        { name: t.keys.ends, cell: ({ expiresAt }) => <End at={expiresAt} /> },
      ]}
      actions={(key) => (
        <RemoveButton label={t.keys.deleteKey(key.name)} onClick={() => onDelete(key)}>
          {t.common.delete}
        </RemoveButton>
      )}
    />
  );
}

function Name({ apiKey }: { apiKey: ApiKey }) {
  const { name, cidrs } = apiKey;
  return (
    <>
      {name}
      {cidrs.length > 0 && (
        <div className={`${table.detail} ${classes.detail}`}>{t.keys.fromNetworks(cidrs.join(', '))}</div>
      )}
    </>
  );
}

function Scopes({ of: { scopes } }: { of: ApiKey }) {
  return (
    <Group gap={6}>
      {scopes.map((scope) => (
        <Badge key={scope} color="gray">
          {t.keys.scopes[scope].name}
        </Badge>
      ))}
    </Group>
  );
}

function LastUse({ apiKey: { lastUsedAt, lastUsedFrom } }: { apiKey: ApiKey }) {
  if (!lastUsedAt) return <span className={classes.none}>{t.keys.neverUsed}</span>;
  return (
    <>
      <Time at={lastUsedAt} relative />
      {lastUsedFrom && <div className={`${table.detail} ${classes.detail}`}>{t.keys.fromAddress(lastUsedFrom)}</div>}
    </>
  );
}

function End({ at }: { at: string | null }) {
  if (!at) return <span className={classes.none}>{t.keys.neverEnds}</span>;
  if (Date.parse(at) > Date.now()) return <Time at={at} />;
  return <Badge color="red">{t.keys.ended}</Badge>;
}
