import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Field, HeldSubmission } from '../api/endpoints.ts';
import emails from '../components/content/addresses.module.css';
import { Email } from '../components/content/addresses.tsx';
import { Fold } from '../components/content/fold.tsx';
import { Time } from '../components/content/time.tsx';
import { fieldName, labelOf } from '../components/form/labels.ts';
import { RemoveButton } from '../components/form/remove-button.tsx';
import { DataTable } from '../components/table/data-table.tsx';
import { FullValue } from '../record/full-value.tsx';
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
          className: emails.cell,
          cell: ({ email }) => <Email>{email}</Email>,
        },
        { name: t.held.data, cell: ({ data }) => <Data data={data} fields={schema?.fields ?? []} /> },
        { name: t.held.reason, cell: ({ reason }) => t.held.reasons[reason] },
        {
          name: t.common.time,
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
  const entries = entriesOf(data, fields);
  if (entries.length === 0)
    return (
      <Text size="md" c="dimmed">
        {t.held.noData}
      </Text>
    );
  return (
    <Fold className={classes.data} summary={<span className="breaks">{summaryOf(entries)}</span>}>
      <dl>
        {entries.map(({ key, name, value }) => (
          <div key={key}>
            <dt>{name}</dt>
            <dd>
              <FullValue value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </Fold>
  );
}

const MAX_ENTRIES = 3;
const MAX_LENGTH = 60;

interface Sent {
  key: string;
  name: string;
  value: unknown;
}

/** What was sent, with the labels of its fields, in their order; then the keys of no field. */
function entriesOf(data: Readonly<Record<string, unknown>>, fields: readonly Field[]): Sent[] {
  const named = fields
    .filter(({ key }) => Object.hasOwn(data, key))
    .map((field) => ({ key: field.key, name: fieldName(field), value: labelOf(field, data[field.key]) }));
  const keys = new Set(named.map(({ key }) => key));
  const others = Object.keys(data).filter((key) => !keys.has(key));
  return [...named, ...others.map((key) => ({ key, name: key, value: data[key] }))];
}

/** The first values, for example `Full name: Ada · Plan: pro · 2 more`. */
function summaryOf(entries: readonly Sent[]): string {
  const shown = entries.slice(0, MAX_ENTRIES).map(({ name, value }) => `${name}: ${textOf(value)}`);
  const left = entries.length - shown.length;
  return [...shown, ...(left > 0 ? [t.held.more(left)] : [])].join(' · ');
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
