import { Badge, Button, Group, Stack, Table } from '@mantine/core';
import type { ApiKey } from '../api/endpoints.ts';
import table from '../components/data-table.module.css';
import { ActionsHeader, DataTable } from '../components/data-table.tsx';
import { Time } from '../components/time.tsx';
import { t } from '../texts/texts.ts';
import classes from './keys-page.module.css';

export function KeyRows({ keys, onDelete }: { keys: readonly ApiKey[]; onDelete: (key: ApiKey) => void }) {
  return (
    <DataTable
      label={t.keys.table}
      width={720}
      isQuiet
      head={
        <>
          <Table.Th>{t.common.name}</Table.Th>
          <Table.Th data-wide-only>{t.keys.allowedTo}</Table.Th>
          <Table.Th data-wide-only>{t.keys.lastUsed}</Table.Th>
          <Table.Th data-wide-only>{t.keys.ends}</Table.Th>
          <ActionsHeader />
        </>
      }
    >
      {keys.map((key) => (
        <Table.Tr key={key.id}>
          <Table.Td className="breaks">
            {key.name}
            {key.cidrs.length > 0 && (
              <div className={`${table.detail} ${classes.detail}`}>{t.keys.fromNetworks(key.cidrs.join(', '))}</div>
            )}
            <div className={table.onPhone}>
              <Stack gap={4}>
                <Scopes of={key} />
                <div>
                  <LastUse apiKey={key} />
                </div>
                <End at={key.expiresAt} />
              </Stack>
            </div>
          </Table.Td>
          <Table.Td data-wide-only>
            <Scopes of={key} />
          </Table.Td>
          <Table.Td data-wide-only>
            <LastUse apiKey={key} />
          </Table.Td>
          <Table.Td data-wide-only>
            <End at={key.expiresAt} />
          </Table.Td>
          <Table.Td className={table.right ?? ''}>
            <Button
              size="xs"
              variant="subtle"
              color="red"
              aria-label={t.keys.deleteKey(key.name)}
              onClick={() => onDelete(key)}
            >
              {t.common.delete}
            </Button>
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
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
