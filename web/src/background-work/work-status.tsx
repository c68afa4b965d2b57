import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../texts/texts.ts';
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
    <ul className={classes.list} aria-label={t.backgroundWork.title}>
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
  const words = state === 'building' ? t.backgroundWork.building(name) : t.backgroundWork.dropping(name);
  return (
    <>
      <Text>{progressOf(words, done, total)}</Text>
      <Progress label={t.backgroundWork.indexOf(name)} done={done} total={total} />
    </>
  );
}

function Move({ work: { key, done, total }, renaming }: { work: Work; renaming: Renaming | undefined }) {
  const from = renaming?.from;
  const words = from === undefined ? t.backgroundWork.moving(key) : t.backgroundWork.movingFrom(from, key);
  return (
    <>
      <Text className="breaks">{progressOf(words, done, total)}</Text>
      <Progress label={t.backgroundWork.valuesOf(key)} done={done} total={total} />
    </>
  );
}

/** Before the records are counted, `total` is 0. */
function progressOf(words: string, done: number, total: number): string {
  return total > 0 ? t.backgroundWork.progress(words, done, total) : words;
}

/** Before the records are counted, the bar shows no part. */
function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  return <progress aria-label={label} {...(total > 0 && { value: done, max: total })} />;
}
