import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ConsentEntry, Field, HistoryEntry } from '../../api/endpoints.ts';
import { authorId } from '../../components/content/author.ts';
import { fieldName, labelOf, nameOfKey } from '../../components/form/labels.ts';
import { ConsentHistory } from '../../record/consent-history.tsx';
import { FullValue } from '../../record/full-value.tsx';
import { authorOf, Changes } from '../../record/history/history-card.tsx';
import { t } from '../../texts/texts.ts';
import { conditionWords, parseCondition, targetOf, targetsOf } from '../../users/filters/condition.ts';
import { scopedSchemaQuery } from '../../users/queries.ts';
import type { Scope } from '../../users/scope.ts';
import classes from '../privacy.module.css';
import type { PersonExport } from './queries.ts';

type Entry = PersonExport['entries'][number];
type Words = Partial<Record<string, string>>;

const texts = t.privacy;
const NAMES: Words = texts.members;
const HELD_REASONS: Words = t.held.reasons;
const DELIVERY_STATES: Words = t.webhooks.states;
const EVENTS: Partial<Record<string, { name: string }>> = t.webhooks.events;
const MAIL_STATES: Words = texts.mailStates;
const MAIL_PURPOSES: Words = texts.mailPurposes;

interface EntryDataProps {
  entry: Entry;
  /** The app of the entry; undefined for one of all apps. */
  app: Scope | undefined;
}

/** An entry in words: first the values, with the labels of the newest schema, then the others. */
export function EntryData({ entry, app }: EntryDataProps) {
  return app ? <EntryOfApp entry={entry} app={app} /> : <Rows entry={entry} fields={[]} />;
}

function EntryOfApp({ entry, app }: { entry: Entry; app: Scope }) {
  const { data: schema, error } = useQuery(scopedSchemaQuery(app));
  if (!schema && !error) return <Loader size={14} aria-label={texts.card.loading} />;
  return <Rows entry={entry} fields={schema?.fields ?? []} />;
}

function Rows({ entry, fields }: { entry: Entry; fields: readonly Field[] }) {
  const { kind: _, sourceAppId: __, data, ...others } = entry;
  return (
    <dl className={classes.data}>
      {isObject(data) && <Values values={data} fields={fields} />}
      {Object.entries(others).map(([key, value]) => (
        <Row key={key} name={NAMES[key] ?? key}>
          {shown(key, value, entry, fields)}
        </Row>
      ))}
    </dl>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Values by keys: those of fields in the order of the schema, with their labels. */
function Values({ values, fields }: { values: Readonly<Record<string, unknown>>; fields: readonly Field[] }) {
  const present = fields.filter(({ key }) => Object.hasOwn(values, key));
  const named = new Set(present.map(({ key }) => key));
  return (
    <>
      {present.map((field) => (
        <Row key={field.key} name={fieldName(field)}>
          <FullValue value={labelOf(field, values[field.key])} />
        </Row>
      ))}
      {Object.entries(values)
        .filter(([key]) => !named.has(key))
        .map(([key, value]) => (
          <Row key={key} name={key}>
            <FullValue value={value} />
          </Row>
        ))}
    </>
  );
}

/** The value of a member that the service made. What it does not know is shown as it is. */
function shown(key: string, value: unknown, { kind, by }: Entry, fields: readonly Field[]): ReactNode {
  if (key === 'consents') return <ConsentHistory entries={value as ConsentEntry[]} />;
  if (key === 'changes') {
    const isSent = isObject(by) && by.kind === 'submission';
    return <Changes changes={value as HistoryEntry['changes']} fields={fields} isSent={isSent} />;
  }
  if (key === 'by') return <Author by={value as HistoryEntry['by']} />;
  if (key === 'set' && isObject(value)) {
    const changes = Object.entries(value).map(([one, after]) => ({ path: `data.${one}`, after }));
    return <Changes changes={changes} fields={fields} isSent />;
  }
  if (key === 'unset' && Array.isArray(value)) return <FullValue value={value.map((one) => nameOfKey(one, fields))} />;
  if (typeof value === 'string') {
    if (key === 'query') return <FullValue value={queryWords(value, fields)} />;
    return <FullValue value={wordOf(kind, key, value)} />;
  }
  return <FullValue value={value} names={NAMES} />;
}

function wordOf(kind: string, key: string, value: string): string {
  if (key === 'reason') return (kind === 'held' && HELD_REASONS[value]) || value;
  if (key === 'type') return EVENTS[value]?.name ?? value;
  if (key === 'purpose') return MAIL_PURPOSES[value] ?? value;
  if (key === 'state') return (kind === 'mail' ? MAIL_STATES : DELIVERY_STATES)[value] ?? value;
  return value;
}

/** Who changed a record. The data of a person does not name others. */
function Author({ by }: { by: HistoryEntry['by'] }) {
  const who = by.account !== undefined ? texts.account : by.key !== undefined ? texts.key : undefined;
  return <span title={authorId(by)}>{authorOf(by, who)}</span>;
}

/** The search and the conditions of a saved view, each in words. */
function queryWords(query: string, fields: readonly Field[]): string[] {
  const targets = targetsOf(fields);
  return [...new URLSearchParams(query)].map(([name, value]) => {
    if (name === 'q') return texts.searchFor(value);
    if (name !== 'where') return `${NAMES[name] ?? name}: ${value}`;
    const condition = parseCondition(value);
    return conditionWords(condition, targetOf(condition.path, targets));
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
