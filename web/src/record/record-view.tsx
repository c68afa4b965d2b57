import { Badge, Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DetailedRecord, Field, Schema } from '../api/endpoints.ts';
import { fieldName, labelOf } from '../components/form/labels.ts';
import { t } from '../texts/texts.ts';
import { ConsentHistory } from './consent-history.tsx';
import { ownValue } from './editing/draft.ts';
import type { Removal } from './editing/removal.tsx';
import { FullValue } from './full-value.tsx';
import classes from './record-view.module.css';
import { Timeline } from './timeline.tsx';

interface RecordViewProps {
  record: Pick<DetailedRecord, 'id' | 'email' | 'data' | 'schemaVersion' | 'consents'>;
  /** The schema version of the record. */
  schema: Pick<Schema, 'fields'>;
  newestVersion?: number | undefined;
  /** Shows the value of a field of files. */
  filesOf(field: Field): ReactNode;
  /** Removes a part of the record. Absent: nothing can be removed. */
  onRemove?: (removal: Removal) => void;
}

/** Shows a record with the labels of its schema version: values, lists, other data, consents. */
export function RecordView({ record, schema, newestVersion, filesOf, onRemove }: RecordViewProps) {
  const isList = ({ key, kind }: Field): boolean =>
    kind === 'array' && (ownValue(record.data, key) === undefined || Array.isArray(ownValue(record.data, key)));
  const lists = schema.fields.filter(isList);
  const plain = schema.fields.filter((field) => !isList(field));
  const named = new Set(schema.fields.map(({ key }) => key));
  const others = Object.keys(record.data).filter((key) => !named.has(key));
  return (
    <div className={classes.view}>
      <section className={classes.card} aria-labelledby="values">
        <Heading id="values" title={t.record.data} note={versionNote(record.schemaVersion, newestVersion)} />
        {plain.length === 0 && (
          <Text size="md" c="dimmed" p="md">
            {t.record.noSingleValues}
          </Text>
        )}
        <dl className={classes.list}>
          {plain.map((field) => (
            <Row key={field.key} field={field}>
              {field.kind === 'file' ? (
                filesOf(field)
              ) : (
                <FullValue value={labelOf(field, ownValue(record.data, field.key))} />
              )}
            </Row>
          ))}
        </dl>
      </section>
      {lists.map((field) => (
        <section key={field.key} className={classes.card} aria-label={fieldName(field)}>
          <Heading title={fieldName(field)} note={field.key} />
          <Timeline
            items={(ownValue(record.data, field.key) as unknown[] | undefined) ?? []}
            onRemove={onRemove && ((timestamp) => onRemove(itemRemoval(field, timestamp)))}
          />
        </section>
      ))}
      {others.length > 0 && (
        <section className={classes.card} aria-labelledby="others">
          <Heading id="others" title={t.record.otherData} note={t.record.notInVersion(record.schemaVersion)} />
          <dl className={classes.list}>
            {others.map((key) => (
              <div key={key} className={classes.row}>
                <dt className={classes.name}>{key}</dt>
                <dd className={classes.value}>
                  <FullValue value={ownValue(record.data, key)} />
                  {onRemove && (
                    <Button
                      variant="subtle"
                      size="compact-xs"
                      c="var(--mantine-color-error)"
                      ml="sm"
                      aria-label={t.record.removeKey(key)}
                      onClick={() =>
                        onRemove({ title: t.record.editing.removeTitle(key), changeOf: () => ({ unset: [key] }) })
                      }
                    >
                      {t.common.remove}
                    </Button>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {record.consents && record.consents.length > 0 && (
        <section className={classes.card} aria-labelledby="consents">
          <Heading id="consents" title={t.record.consents} note={t.common.changes(record.consents.length)} />
          <ConsentHistory entries={record.consents} />
        </section>
      )}
      <Text size="xs" c="dimmed" className="breaks">
        {t.record.recordId(record.id)}
      </Text>
    </div>
  );
}

/** All items with that timestamp are removed. */
function itemRemoval({ key, label }: Field, timestamp: string): Removal {
  const change = { removeItems: [{ key, timestamp }] };
  return { title: t.record.editing.removeItemTitle(label || key), changeOf: () => change };
}

function Row({ field, children }: { field: Field; children: ReactNode }) {
  return (
    <div className={classes.row}>
      <dt className={classes.name}>
        {fieldName(field)}
        <span className={classes.key}>{field.required ? t.record.requiredField(field.key) : field.key}</span>
      </dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}

function Heading({ id, title, note }: { id?: string; title: string; note: string }) {
  return (
    <div className={classes.heading}>
      <h2 id={id} className={classes.title}>
        {title}
      </h2>
      <Badge color="gray" className={classes.note ?? ''}>
        {note}
      </Badge>
    </div>
  );
}

function versionNote(version: number, newest: number | undefined): string {
  if (newest === undefined || newest === version) return t.record.ofSchemaVersion(version);
  return t.record.ofOlderVersion(version, newest);
}
