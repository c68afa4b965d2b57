import { Alert, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { issueAt, issuesOf } from '../../api/call.ts';
import type { Field } from '../../api/endpoints.ts';
import { DialogForm } from '../../components/form.tsx';
import { labelOf } from '../../components/labels.ts';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import { FullValue } from '../full-value.tsx';
import type { StoredRecord } from '../queries.ts';
import { changeOf, contested, type Draft, ownValue, textOf } from './draft.ts';
import { Outdated, useRecordChange } from './use-change.ts';
import { ValueControl } from './value-control.tsx';

interface EditFormProps {
  scope: Scope;
  /** The record at the time when the form opened. */
  stored: Pick<StoredRecord, 'etag'> & { record: Pick<StoredRecord['record'], 'id' | 'data'> };
  /** The fields to change, without lists. */
  fields: readonly Field[];
  onSaved: (stored: StoredRecord) => void;
  onCancel: () => void;
}

/** Changes values of a record. After a change by somebody else the reader chooses the values. */
export function EditForm({ scope, stored, fields, onSaved, onCancel }: EditFormProps) {
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState<Draft>({});
  const [others, setOthers] = useState<readonly string[]>();
  const save = useRecordChange(scope, stored.record.id, t.record.editing.saved, onSaved);
  const { data } = base.record;
  const change = changeOf(draft, fields, data);
  const submit = (): void => {
    if (!change) return;
    save.mutate(
      { change, etag: base.etag },
      {
        onError: (error) => {
          if (!(error instanceof Outdated)) return;
          setOthers(contested(draft, data, error.stored.record.data));
          setBase(error.stored);
        },
      },
    );
  };
  const takeOthers = (): void => {
    setDraft(Object.fromEntries(Object.entries(draft).filter(([key]) => !others?.includes(key))));
    setOthers(undefined);
    save.reset();
  };
  return (
    <DialogForm
      action={others ? t.record.editing.saveMine : t.common.save}
      sending={save}
      error={null}
      disabled={!change}
      onSubmit={submit}
      onCancel={onCancel}
    >
      {others && (
        <Conflict fields={fields.filter(({ key }) => others.includes(key))} data={data} onTakeOthers={takeOthers} />
      )}
      {fields.map((field, index) => (
        <ValueControl
          key={field.key}
          field={field}
          autoFocus={index === 0}
          text={ownValue(draft, field.key) ?? textOf(ownValue(data, field.key))}
          error={issueAt(save.error, `data.${field.key}`)}
          onChange={(text) => setDraft((before) => ({ ...before, [field.key]: text }))}
        />
      ))}
      {save.error && !(save.error instanceof Outdated) && <Refusal error={save.error} fields={fields} />}
    </DialogForm>
  );
}

interface ConflictProps {
  /** The values that both changed. */
  fields: readonly Field[];
  data: Readonly<Record<string, unknown>>;
  onTakeOthers: () => void;
}

function Conflict({ fields, data, onTakeOthers }: ConflictProps) {
  return (
    <Alert color="yellow" role="alert" title={t.record.editing.conflict}>
      {fields.length === 0 ? (
        <Text>{t.record.editing.otherFields}</Text>
      ) : (
        <>
          <Text>{t.record.editing.nowStored}</Text>
          <dl>
            {fields.map((field) => (
              <Text key={field.key} component="div" className="breaks">
                <dt>
                  <strong>{field.label || field.key}</strong>
                </dt>
                <dd>
                  <FullValue value={labelOf(field, ownValue(data, field.key))} />
                </dd>
              </Text>
            ))}
          </dl>
          <Button variant="default" size="xs" mt="xs" onClick={onTakeOthers}>
            {t.record.editing.takeStored(fields.length)}
          </Button>
        </>
      )}
    </Alert>
  );
}

/** Values without a control. */
function Refusal({ error, fields }: { error: Error; fields: readonly Field[] }) {
  const shown = fields.map(({ key }) => `data.${key}`);
  const issues = issuesOf(error).filter(({ path }) => !shown.includes(path));
  return (
    <Alert color="red" role="alert">
      {error.message}. {issues.map(({ path, message }) => `${path} ${message}`).join('. ')}
    </Alert>
  );
}
