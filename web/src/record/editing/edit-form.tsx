import { Alert, Button, Text } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { issueAt, issuesOf } from '../../api/call.ts';
import type { Field } from '../../api/endpoints.ts';
import dialog from '../../components/form/dialog.module.css';
import { Dialog, intoView } from '../../components/form/dialog.tsx';
import { DialogForm } from '../../components/form/form.tsx';
import { fieldName, labelOf, nameOfPath } from '../../components/form/labels.ts';
import { t } from '../../texts/texts.ts';
import { scopedSchemaQuery } from '../../users/queries.ts';
import type { Scope } from '../../users/scope.ts';
import { FullValue } from '../full-value.tsx';
import type { StoredRecord } from '../queries.ts';
import { changeOf, contested, type Draft, ownValue, textOf } from './draft.ts';
import { Outdated, useRecordChange } from './use-change.ts';
import { ValueControl } from './value-control.tsx';

interface EditDialogProps {
  title: string;
  scope: Scope;
  /** The record at the time when the dialog opened; undefined while it is closed. */
  stored: (Pick<StoredRecord, 'etag'> & { record: Pick<StoredRecord['record'], 'id' | 'data'> }) | undefined;
  /** The fields to change, without lists. */
  fields: readonly Field[];
  onClose: () => void;
}

/** Changes values of a record. After a change by somebody else the reader chooses the values. */
export function EditDialog({ title, scope, stored, fields, onClose }: EditDialogProps) {
  const [isDirty, setDirty] = useState(false);
  // A dialog that opens with its first render does not know which element had the focus.
  const isMounted = useMounted();
  const close = (): void => {
    setDirty(false);
    onClose();
  };
  return (
    <Dialog opened={isMounted && stored !== undefined} onClose={close} title={title} isDirty={isDirty}>
      {stored && <EditForm scope={scope} stored={stored} fields={fields} onDraft={setDirty} onClose={close} />}
    </Dialog>
  );
}

interface EditFormProps extends Pick<EditDialogProps, 'scope' | 'fields' | 'onClose'> {
  stored: NonNullable<EditDialogProps['stored']>;
  /** Called with each draft: whether it changes the record. */
  onDraft: (isChange: boolean) => void;
}

function EditForm({ scope, stored, fields, onDraft, onClose }: EditFormProps) {
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState<Draft>({});
  const [others, setOthers] = useState<readonly string[]>();
  const [timesTaken, setTimesTaken] = useState(0);
  const save = useRecordChange(scope, stored.record.id, t.record.editing.saved);
  const { data } = base.record;
  const change = changeOf(draft, fields, data);
  const take = (next: Draft): void => {
    setDraft(next);
    onDraft(changeOf(next, fields, data) !== undefined);
  };
  const submit = (): void => {
    if (!change) return;
    save.mutate(
      { change, etag: base.etag },
      {
        onSuccess: onClose,
        onError: (error) => {
          if (!(error instanceof Outdated)) return;
          setOthers(contested(draft, fields, data, error.stored.record.data));
          setBase(error.stored);
        },
      },
    );
  };
  const takeOthers = (): void => {
    take(Object.fromEntries(Object.entries(draft).filter(([key]) => !others?.includes(key))));
    setOthers(undefined);
    setTimesTaken(timesTaken + 1);
    save.reset();
  };
  return (
    <DialogForm
      action={others ? t.record.editing.saveMine : t.common.save}
      sending={save}
      error={null}
      disabled={!change}
      onSubmit={submit}
      onCancel={onClose}
    >
      {fields.map((field, index) => (
        <ValueControl
          // A value that was taken may need another control.
          key={`${timesTaken} ${field.key}`}
          field={field}
          autoFocus={index === 0}
          text={ownValue(draft, field.key) ?? textOf(field, ownValue(data, field.key))}
          error={issueAt(save.error, `data.${field.key}`)}
          onChange={(text) => take({ ...draft, [field.key]: text })}
        />
      ))}
      {save.error && !(save.error instanceof Outdated) && <Refusal scope={scope} error={save.error} fields={fields} />}
      {others && (
        <Conflict
          key={base.etag}
          fields={fields.filter(({ key }) => others.includes(key))}
          data={data}
          onTakeOthers={takeOthers}
        />
      )}
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
    <Alert ref={intoView} className={dialog.notice ?? ''} color="yellow" role="alert" title={t.record.editing.conflict}>
      {fields.length === 0 ? (
        <Text>{t.record.editing.otherFields}</Text>
      ) : (
        <>
          <Text>{t.record.editing.nowStored}</Text>
          <dl>
            {fields.map((field) => (
              <Text key={field.key} component="div" className="breaks">
                <dt>
                  <strong>{fieldName(field)}</strong>
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
function Refusal({ scope, error, fields }: { scope: Scope; error: Error; fields: readonly Field[] }) {
  const { data: schema } = useQuery(scopedSchemaQuery(scope));
  const shown = fields.map(({ key }) => `data.${key}`);
  const issues = issuesOf(error).filter(({ path }) => !shown.includes(path));
  return (
    <Alert color="red" role="alert">
      {error.message}.{' '}
      {issues.map(({ path, message }) => `${nameOfPath(path, schema?.fields ?? fields)} ${message}`).join('. ')}
    </Alert>
  );
}
