import { NativeSelect } from '@mantine/core';
import { ChartIcon } from '../../components/icons.tsx';
import { t } from '../../texts/texts.ts';
import type { Target } from '../filters/condition.ts';
import type { ChangeList } from '../list/list-parameters.ts';
import classes from './breakdown.module.css';

interface BreakdownChoiceProps {
  by: string;
  targets: readonly Target[];
  change: ChangeList;
}

/** Chooses the field by which the users are grouped. */
export function BreakdownChoice({ by, targets, change }: BreakdownChoiceProps) {
  const possible = targets.filter(({ path, type }) => path !== 'email' && type !== 'array');
  const known = by === '' || possible.some(({ path }) => path === by) ? [] : [{ value: by, label: by }];
  return (
    <NativeSelect
      aria-label={t.users.breakdown.by}
      size="xs"
      maw={220}
      className={classes.choice ?? ''}
      leftSection={<ChartIcon size={14} />}
      value={by}
      data={[
        { value: '', label: t.users.breakdown.choose },
        ...possible.map(({ path, label }) => ({ value: path, label })),
        ...known,
      ]}
      onChange={(event) => change({ by: event.currentTarget.value })}
    />
  );
}
