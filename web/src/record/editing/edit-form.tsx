import { Alert, Button, Group, Modal, Text } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { issueAt, issuesOf } from '../../api/call.ts';
import type { Field } from '../../api/endpoints.ts';
import { DialogForm } from '../../components/form/form.tsx';
import { fieldName, labelOf, nameOfPath } from '../../components/form/labels.ts';
import { useWarningBeforeUnload } from '../../drafts/tab-drafts.ts';
import { t } from '../../texts/texts.ts';
import { scopedSchemaQuery } from '../../users/queries.ts';
import type { Scope } from '../../users/scope.ts';
import { FullValue } from '../full-value.tsx';
import type { StoredRecord } from '../queries.ts';
import { changeOf, contested, type Draft, ownValue, textOf } from './draft.ts';
import classes from './edit-form.module.css';
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

/**
 * Changes values of a record. After a change by somebody else the reader chooses the values. Escape
 * and a click outside ask before they discard a change.
 */
export function EditDialog({ title, scope, stored, fields, onClose }: EditDialogProps) {
  const [isDirty, setDirty] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  // A dialog that opens with its first render does not know which element had the focus.
  const isMounted = useMounted();
  useWarningBeforeUnload(isDirty);
  const close = (): void => {
    setDirty(false);
    setLeaving(false);
    onClose();
  };
  return (
    <Modal
      opened={isMounted && stored !== undefined}
      onClose={() => (isDirty ? setLeaving(true) : close())}
      title={title}
    >
      {stored && (
        <EditForm
          scope={scope}
          stored={stored}
          fields={fields}
          onDraft={(isChange) => {
            setDirty(isChange);
            setLeaving(false);
          }}
          onClose={close}
        >
          {isLeaving && <Leaving onStay={() => setLeaving(false)} onLeave={close} />}
        </EditForm>
      )}
    </Modal>
  );
}

/** Shows a notice above the buttons, whatever part of a long form is in view. */
const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

function Leaving({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  return (
    <Alert ref={intoView} className={classes.notice} color="yellow" role="alert" title={t.record.editing.leave}>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={onStay}>
          {t.record.editing.stay}
        </Button>
        <Button variant="default" size="xs" onClick={onLeave}>
          {t.record.editing.discard}
        </Button>
      </Group>
    </Alert>
  );
}

interface EditFormProps extends Pick<EditDialogProps, 'scope' | 'fields' | 'onClose'> {
  stored: NonNullable<EditDialogProps['stored']>;
  /** Called with each draft: whether it changes the record. */
  onDraft: (isChange: boolean) => void;
  /** A notice above the buttons. */
  children: ReactNode;
}

function EditForm({ scope, stored, fields, onDraft, onClose, children }: EditFormProps) {
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState<Draft>({});
  const [others, setOthers] = useState<readonly string[]>();
  const save = useRecordChange(scope, stored.record.id, t.record.editing.saved);
  const { data } = base.record;
  const change = changeOf(draft, fields, data);
  const take = (next: Draft): void => {
    setDraft(next);
    onDraft(changeOf(next, fields, data) !== undefined);
  };
  const submit = (): void => {
    if (!change) return;
    onDraft(true);
    save.mutate(
      { change, etag: base.etag },
      {
        onSuccess: onClose,
        onError: (error) => {
          if (!(error instanceof Outdated)) return;
          setOthers(contested(draft, data, error.stored.record.data));
          setBase(error.stored);
        },
      },
    );
  };
  const takeOthers = (): void => {
    take(Object.fromEntries(Object.entries(draft).filter(([key]) => !others?.includes(key))));
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
      onCancel={onClose}
    >
      {fields.map((field, index) => (
        <ValueControl
          key={field.key}
          field={field}
          autoFocus={index === 0}
          text={ownValue(draft, field.key) ?? textOf(ownValue(data, field.key))}
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
      {children}
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
    <Alert ref={intoView} className={classes.notice} color="yellow" role="alert" title={t.record.editing.conflict}>
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
