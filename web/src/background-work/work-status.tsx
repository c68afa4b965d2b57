import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { count } from '../components/count.ts';
import { isUnderWay, type Renaming, useRenaming, type Work, workQuery } from './queries.ts';
import classes from './work-status.module.css';

interface WorkStatusProps {
  sourceAppId: string;
  /** Whether the session can read the schema versions of the app. */
  asAdmin: boolean;
  fields: readonly { key: string; label: string }[] | undefined;
}

/** Shows the progress of indexes and of moved values. */
export function WorkStatus({ sourceAppId, asAdmin, fields }: WorkStatusProps) {
  const { data } = useQuery(workQuery(sourceAppId));
  const renaming = useRenaming({ sourceAppId, asAdmin });
  const underWay = data?.filter(isUnderWay) ?? [];
  if (underWay.length === 0) return null;
  const nameOf = (key: string): string => fields?.find((field) => field.key === key)?.label || key;
  return (
    <ul className={classes.list} aria-label="Background work">
      {underWay.map((work) => (
        <li key={`${work.key} ${work.state}`} className={classes.work}>
          {work.state === 'renaming' ? (
            <Move work={work} renaming={renaming.find(({ to }) => to === work.key)} />
          ) : (
            <IndexWork work={work} name={nameOf(work.key)} />
          )}
        </li>
      ))}
    </ul>
  );
}

function IndexWork({ work: { state, done, total }, name }: { work: Work; name: string }) {
  return (
    <>
      <Text size="sm">
        {state === 'building' ? 'Building' : 'Dropping'} the index of {name}
        {total > 0 && `: ${done.toLocaleString()} of ${count(total, 'user')}`}
      </Text>
      <Progress label={`Index of ${name}`} done={done} total={total} />
    </>
  );
}

function Move({ work: { key, done, total }, renaming }: { work: Work; renaming: Renaming | undefined }) {
  return (
    <>
      <Text size="sm" className="breaks">
        Moving values{renaming?.from !== undefined && ` of “${renaming.from}”`} to “{key}”
        {total > 0 && `: ${done.toLocaleString()} of ${count(total, 'user')}`}
      </Text>
      <Progress label={`Values of ${key}`} done={done} total={total} />
    </>
  );
}

/** Before the records are counted, the bar shows no part. */
function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  return <progress aria-label={label} {...(total > 0 && { value: done, max: total })} />;
}
