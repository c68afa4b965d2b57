import { Badge, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Field, KeptSubmission } from '../api/endpoints.ts';
import { FileList, type FileValue, filesOf } from '../components/content/file-list.tsx';
import { Time } from '../components/content/time.tsx';
import { Value } from '../components/content/value.tsx';
import { countOf, fieldName, labelOf } from '../components/form/labels.ts';
import { t } from '../texts/texts.ts';
import { recordPath, type Scope } from '../users/scope.ts';
import classes from './inbox.module.css';

interface RowsProps {
  scope: Scope;
  submissions: readonly KeptSubmission[];
  fields: readonly Field[];
  /** When the reader last looked: later ones are marked. */
  lastLook: string | undefined;
}

/** One row for each submission: who, when, and the first texts. It opens to all values. */
export function InboxRows({ scope, submissions, fields, lastLook }: RowsProps) {
  return (
    <ul className={classes.list} aria-label={t.inbox.list}>
      {submissions.map((one) => {
        const isNew = lastLook !== undefined && one.at > lastLook;
        return (
          <li key={one.id} className={classes.row} data-new={isNew || undefined}>
            <details>
              <summary className={classes.summary}>
                <span className={classes.who}>
                  <strong className="breaks">{one.email}</strong>
                  {isNew && (
                    <Badge size="sm" ml={8}>
                      {t.inbox.new}
                    </Badge>
                  )}
                </span>
                <span className={classes.text}>{firstTexts(one.data, fields) || t.held.noData}</span>
                <span className={classes.time}>
                  <Time at={one.at} relative />
                </span>
              </summary>
              <Details scope={scope} submission={one} fields={fields} />
            </details>
          </li>
        );
      })}
    </ul>
  );
}

function Details({
  scope,
  submission,
  fields,
}: {
  scope: Scope;
  submission: KeptSubmission;
  fields: readonly Field[];
}) {
  const { data, at, page, userId } = submission;
  const known = fields.filter(({ key }) => Object.hasOwn(data, key));
  const others = Object.keys(data).filter((key) => !fields.some((field) => field.key === key));
  return (
    <div className={classes.details}>
      <dl className={classes.values}>
        {known.map((field) => (
          <Entry
            key={field.key}
            name={fieldName(field)}
            value={labelOf(field, data[field.key])}
            files={filesOf(field, data[field.key])}
            scope={scope}
          />
        ))}
        {others.map((key) => (
          <Entry key={key} name={key} value={data[key]} scope={scope} />
        ))}
      </dl>
      <Text size="sm" c="dimmed" className="breaks">
        <Time at={at} />
        {page !== undefined && ` · ${page}`} ·{' '}
        <Link href={recordPath(scope, userId)} className={classes.link ?? ''}>
          {t.common.showRecord}
        </Link>
      </Text>
    </div>
  );
}

interface EntryProps {
  name: string;
  value: unknown;
  files?: readonly FileValue[] | undefined;
  scope: Scope;
}

function Entry({ name, value, files, scope }: EntryProps) {
  if (files) {
    return (
      <div>
        <dt className={classes.name}>{name}</dt>
        <dd className={classes.value}>
          <FileList scope={scope} files={files} />
        </dd>
      </div>
    );
  }
  return (
    <div>
      <dt className={classes.name}>{name}</dt>
      <dd className={`${classes.value} breaks`}>
        {typeof value === 'string' ? value : Array.isArray(value) ? <Items items={value} /> : <Value value={value} />}
      </dd>
    </div>
  );
}

/** The items that a submission appends have their value and its time. */
function Items({ items }: { items: readonly unknown[] }) {
  return items.map((item) => textOf((item as { value?: unknown } | null)?.value ?? item)).join(', ');
}

const MAX_TEXTS = 3;
const MAX_LENGTH = 120;

/** The first texts of a submission, as `Hello · I have a question`. */
function firstTexts(data: Readonly<Record<string, unknown>>, fields: readonly Field[]): string {
  const known = fields.flatMap((field) => (Object.hasOwn(data, field.key) ? [countOf(field, data[field.key])] : []));
  const others = Object.entries(data).flatMap(([key, value]) => (fields.some((one) => one.key === key) ? [] : [value]));
  const texts = [...known, ...others].filter(
    (value) => value !== undefined && value !== '' && typeof value !== 'boolean',
  );
  return texts.slice(0, MAX_TEXTS).map(textOf).join(' · ').slice(0, MAX_LENGTH);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
