import { Button, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../components/form/problem.tsx';
import { t } from '../../texts/texts.ts';
import { conditionText, parseCondition, type Target, targetOf } from '../filters/condition.ts';
import { IndexOffer } from '../index-offer.tsx';
import type { ChangeList, ListParameters, UserFilter } from '../list/list-parameters.ts';
import { countUsers } from '../list/use-user-count.ts';
import { Counting } from '../matches.tsx';
import { type Scope, scopeParameter } from '../scope.ts';
import { type Breakdown, barsOf, restOf, whereAfter } from './bars.ts';
import classes from './breakdown.module.css';
import { Histogram, ValueBars } from './charts.tsx';
import { countedBreakdown } from './counted.ts';
import { breakdownQuery } from './query.ts';

interface BreakdownPanelProps {
  scope: Scope;
  parameters: ListParameters;
  change: ChangeList;
  targets: readonly Target[];
}

/** A chart that groups the matching users by a field. A pressed bar filters the list. */
export function BreakdownPanel({ scope, parameters, change, targets }: BreakdownPanelProps) {
  const { by, q, where } = parameters;
  const target = targetOf(by, targets);
  const { data, error, isFetching, isPlaceholderData } = useQuery(breakdownQuery(scope, parameters));
  const read = data?.field === by ? data : undefined;
  const view = JSON.stringify([by, q, where]);
  const [countedView, setCountedView] = useState<string>();
  const counted = useQuery({
    ...countedBreakdownQuery(scope, parameters, read, by),
    enabled: countedView === view && read?.complete === false && !isPlaceholderData,
  });
  const shown = counted.data ?? read;
  const hadNoTime = !counted.isFetching && (counted.data === null || counted.error !== null);
  const count = (): void => {
    setCountedView(view);
    if (hadNoTime) void counted.refetch();
  };
  // A search by text reads all records, with any index.
  const canCount = q === '' && target.index === 'present' && (countedView !== view || hadNoTime);
  return (
    <section className={classes.panel} aria-label={t.users.breakdown.title(target.label)} aria-busy={isFetching}>
      <Problem error={error} p="xs" />
      {!error && !shown && (
        <div className={classes.loading}>
          <Counting />
        </div>
      )}
      {!error && shown && (
        <div className={isPlaceholderData ? classes.stale : undefined}>
          <Summary breakdown={shown} />
          {!shown.complete && (
            <div className={classes.part} role="status">
              {canCount && (
                <Button variant="default" size="compact-sm" onClick={count}>
                  {t.users.breakdown.countAll}
                </Button>
              )}
              {counted.isFetching && t.users.summary.counting}
              {countedView === view && hadNoTime && t.users.summary.noTime}
              <IndexOffer scope={scope} targets={indexable(target, where, targets)} />
            </div>
          )}
          <Chart
            breakdown={shown}
            target={target}
            onPress={(conditions) => change({ where: whereAfter(where, conditions) })}
          />
        </div>
      )}
    </section>
  );
}

/** The fields by which an index narrows the chart: its own, and those of the filter. */
function indexable(target: Target, where: readonly string[], targets: readonly Target[]): Target[] {
  return [...new Set([target, ...where.map((text) => targetOf(parseCondition(text).path, targets))])];
}

function Summary({ breakdown: { records, complete, limited, timeZone } }: { breakdown: Breakdown }) {
  return (
    <Text size="xs" c="dimmed" aria-live="polite" mb="xs">
      {complete ? t.users.breakdown.of(records) : t.users.breakdown.ofPart(records)}
      {limited && ` ${t.users.breakdown.limited}`} {t.users.breakdown.press}
      {timeZone !== undefined && ` ${t.users.breakdown.timeZone(timeZone)}`}
    </Text>
  );
}

function Chart({
  breakdown,
  target,
  onPress,
}: {
  breakdown: Breakdown;
  target: Target;
  onPress: React.ComponentProps<typeof ValueBars>['onPress'];
}) {
  const bars = barsOf(breakdown, target);
  const rest = restOf(breakdown, target);
  if (bars.length === 0 && rest.length === 0) return <Text>{t.users.breakdown.noMatch}</Text>;
  if (breakdown.ranges === undefined) {
    return <ValueBars bars={[...bars, ...rest]} total={breakdown.records} onPress={onPress} />;
  }
  return (
    <>
      {bars.length > 0 && <Histogram bars={bars} breakdown={breakdown} total={breakdown.records} onPress={onPress} />}
      {rest.length > 0 && (
        <ValueBars bars={rest} total={breakdown.records} full={breakdown.records} onPress={onPress} />
      )}
    </>
  );
}

/** The complete form of a partial breakdown; null without time for it. */
const countedBreakdownQuery = (
  scope: Scope,
  { q, where }: UserFilter,
  breakdown: Breakdown | undefined,
  path: string,
) =>
  queryOptions({
    queryKey: ['users', 'breakdown', 'counted', scopeParameter(scope), { q, where }, breakdown],
    queryFn: async ({ signal }): Promise<Breakdown | null> => {
      if (!breakdown) return null;
      const counted = await countedBreakdown(breakdown, path, async (conditions) => {
        const all = [...where, ...conditions.map(conditionText)];
        const { total, is } = await countUsers(scope, { q, where: all }, 'exact', signal);
        return is === 'exact' ? total : undefined;
      });
      return counted ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
