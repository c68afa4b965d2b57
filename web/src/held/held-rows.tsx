import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Field, HeldSubmission } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { RemoveButton } from '../components/form/remove-button.tsx';
import table from '../components/table/data-table.module.css';
import { DataTable } from '../components/table/data-table.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import type { Scope } from '../users/scope.ts';
import classes from './held-page.module.css';

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
      rows={held}
      columns={[
        {
          name: t.common.email,
          className: 'breaks',
          cell: ({ email, reason, at }) => (
            <>
              {email}
              <div className={`${table.onPhone} ${classes.onPhone}`}>
                {t.held.reasons[reason]}, <Time at={at} relative />
              </div>
            </>
          ),
        },
        { name: t.held.data, cell: ({ data }) => <Data data={data} fields={schema?.fields ?? []} /> },
        { name: t.held.reason, isWideOnly: true, cell: ({ reason }) => t.held.reasons[reason] },
        {
          name: t.common.time,
          isWideOnly: true,
          className: classes.time,
          cell: ({ at }) => <Time at={at} relative />,
        },
      ]}
      actions={(one) =>
        edit && (
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
            <RemoveButton label={t.held.deleteOf(one.email)} onClick={() => onDelete(one)}>
              {t.common.delete}
            </RemoveButton>
          </Group>
        )
      }
    />
  );
}

function Data({ data, fields }: { data: HeldSubmission['data']; fields: readonly Field[] }) {
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

const MAX_ENTRIES = 3;
const MAX_LENGTH = 60;

/** The first values of some data, for example `Full name: Ada · Plan: pro · 2 more`. */
function summaryOf(data: Readonly<Record<string, unknown>>, fields: readonly Field[]): string {
  const labels = new Map(fields.map(({ key, label }) => [key, label]));
  const keys = fields.map(({ key }) => key).filter((key) => Object.hasOwn(data, key));
  const others = Object.keys(data).filter((key) => !labels.has(key));
  const all = [...keys, ...others];
  const shown = all.slice(0, MAX_ENTRIES).map((key) => `${labels.get(key) || key}: ${textOf(data[key])}`);
  return [...shown, ...(all.length > MAX_ENTRIES ? [`${all.length - MAX_ENTRIES} more`] : [])].join(' · ');
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
