import { Button, Group, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { HeldSubmission } from '../api/endpoints.ts';
import table from '../components/data-table.module.css';
import { ActionsHeader, DataTable } from '../components/data-table.tsx';
import { Time } from '../components/time.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import type { Scope } from '../users/scope.ts';
import classes from './held-page.module.css';
import { summaryOf } from './summary.ts';

interface RowsProps {
  scope: Scope;
  held: readonly HeldSubmission[];
  /** The id of the submission that is being released. */
  releasing: string | undefined;
  onRelease: (held: HeldSubmission) => void;
  onDelete: (held: HeldSubmission) => void;
}

export function HeldRows({ scope, held, releasing, onRelease, onDelete }: RowsProps) {
  const { edit } = useAbilities();
  const { data: schema } = useQuery(scopedSchemaQuery(scope));
  return (
    <DataTable
      label={t.held.table}
      width={720}
      head={
        <>
          <Table.Th>{t.common.email}</Table.Th>
          <Table.Th>{t.held.data}</Table.Th>
          <Table.Th data-wide-only>{t.held.reason}</Table.Th>
          <Table.Th data-wide-only>{t.common.time}</Table.Th>
          <ActionsHeader />
        </>
      }
    >
      {held.map((one) => (
        <Table.Tr key={one.id}>
          <Table.Td className="breaks">
            {one.email}
            <div className={`${table.onPhone} ${classes.onPhone}`}>
              {t.held.reasons[one.reason]}, <Time at={one.at} relative />
            </div>
          </Table.Td>
          <Table.Td>
            <Data data={one.data} fields={schema?.fields ?? []} />
          </Table.Td>
          <Table.Td data-wide-only>{t.held.reasons[one.reason]}</Table.Td>
          <Table.Td data-wide-only className={classes.time}>
            <Time at={one.at} relative />
          </Table.Td>
          <Table.Td>
            {edit && (
              <Group gap="xs" justify="flex-end" className={classes.actions ?? ''}>
                <Button
                  size="xs"
                  variant="default"
                  loading={releasing === one.id}
                  disabled={releasing !== undefined}
                  aria-label={t.held.releaseOf(one.email)}
                  onClick={() => onRelease(one)}
                >
                  {t.held.release}
                </Button>
                <Button
                  size="xs"
                  variant="subtle"
                  color="red"
                  aria-label={t.held.deleteOf(one.email)}
                  onClick={() => onDelete(one)}
                >
                  {t.common.delete}
                </Button>
              </Group>
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

function Data({ data, fields }: { data: HeldSubmission['data']; fields: Parameters<typeof summaryOf>[1] }) {
  const summary = summaryOf(data, fields);
  if (summary === '')
    return (
      <Text size="md" c="dimmed">
        {t.held.noData}
      </Text>
    );
  return (
    <details className={classes.data}>
      <summary className="breaks">{summary}</summary>
      <pre>{JSON.stringify(data, null, 2)}</pre>
    </details>
  );
}
