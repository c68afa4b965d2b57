import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Named, nameOfKey } from '../components/form/labels.ts';
import { t } from '../texts/texts.ts';
import { isUnderWay, type Renaming, useRenaming, type Work, workQuery } from './queries.ts';
import classes from './work-status.module.css';

interface WorkStatusProps {
  sourceAppId: string;
  /** Whether the session can read the schema versions of the app. */
  asAdmin: boolean;
  fields: readonly Named[] | undefined;
}

/** Shows the progress of indexes and of moved values. */
export function WorkStatus({ sourceAppId, asAdmin, fields }: WorkStatusProps) {
  const { data } = useQuery(workQuery(sourceAppId));
  const renaming = useRenaming({ sourceAppId, asAdmin });
  const underWay = data?.filter(isUnderWay) ?? [];
  if (underWay.length === 0) return null;
  const nameOf = (key: string): string => nameOfKey(key, fields);
  return (
    <ul className={classes.list} aria-label={t.backgroundWork.title}>
      {underWay.map((work) => (
        <li key={`${work.key} ${work.state}`} className={classes.work}>
          <Progress work={work} {...describe(work, nameOf(work.key), renaming)} />
        </li>
      ))}
    </ul>
  );
}

/** What is done to a key, and the name of its progress bar. */
function describe({ key, state }: Work, name: string, renaming: readonly Renaming[]): Omit<ProgressProps, 'work'> {
  const texts = t.backgroundWork;
  if (state !== 'renaming') {
    const label = texts.indexOf(name);
    return state === 'building'
      ? { words: texts.building(name), label, next: texts.buildingNext }
      : { words: texts.dropping(name), label, next: texts.droppingNext };
  }
  const from = renaming.find(({ to }) => to === key)?.from;
  const words = from === undefined ? texts.moving(key) : texts.movingFrom(from, key);
  return { words, label: texts.valuesOf(key), next: texts.movingNext };
}

interface ProgressProps {
  words: string;
  label: string;
  /** What a reader can do meanwhile, and what the end brings. */
  next: string;
  work: Work;
}

/** Before the records are counted, `total` is 0 and the bar shows no part. */
function Progress({ words, label, next, work: { done, total } }: ProgressProps) {
  return (
    <>
      <Text className="breaks">{total > 0 ? t.backgroundWork.progress(words, done, total) : words}</Text>
      <progress aria-label={label} {...(total > 0 && { value: done, max: total })} />
      <Text c="dimmed" className={classes.next ?? ''}>
        {next}
      </Text>
    </>
  );
}
