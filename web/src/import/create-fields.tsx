import { Alert, Badge, Checkbox, NativeSelect, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call, callWithEtag, hasStatus, issuesText } from '../api/call.ts';
import type { Field, Request, Schema } from '../api/endpoints.ts';
import { useChange } from '../api/mutations.ts';
import { Dialog } from '../components/form/dialog.tsx';
import { DialogForm } from '../components/form/form.tsx';
import { keyBeside, keyFor } from '../schema-editor/draft/draft.ts';
import { KIND_NAMES } from '../schema-editor/draft/field-texts.ts';
import { t } from '../texts/texts.ts';
import type { ColumnDraft } from './column-draft.ts';
import classes from './import-page.module.css';
import { COLUMN_KINDS, type ColumnKind, choicesFor, type FieldProposal, proposeField } from './propose-field.ts';

const MAX_LABEL = 200;
const KINDS = COLUMN_KINDS.map((value) => ({ value, label: KIND_NAMES[value] }));

/** A column of a file without a field. */
export interface FreeColumn {
  index: number;
  label: string;
  name: string;
  values: readonly string[];
}

/** A field that was created for a column. */
export interface CreatedField {
  index: number;
  key: string;
  settings: ColumnDraft;
}

interface Row extends FieldProposal {
  column: FreeColumn;
  label: string;
  isChosen: boolean;
}

type SchemaInput = NonNullable<Request<'PUT /auth/apps/:sourceAppId/schema'>['body']>;

interface CreateFieldsProps {
  sourceAppId: string;
  columns: readonly FreeColumn[];
  onCreated: (fields: CreatedField[]) => void;
  onClose: () => void;
}

/** Proposes a field for each column, and saves them in the schema. */
export function CreateFields({ sourceAppId, columns, onCreated, onClose }: CreateFieldsProps) {
  const [rows, setRows] = useState(() => columns.map(rowOf));
  const [isOfStaff, setOfStaff] = useState(false);
  const chosen = rows.filter((row) => row.isChosen);
  const save = useChange(['schema', 'app-schema'], () => saveFields(sourceAppId, chosen, isOfStaff));
  const change = (index: number, part: Partial<Row>): void =>
    setRows(rows.map((row) => (row.column.index === index ? { ...row, ...part } : row)));
  return (
    <Dialog opened onClose={onClose} size="lg" title={t.imports.createFields(columns.length)}>
      <DialogForm
        action={t.imports.createCount(chosen.length)}
        sending={save}
        error={null}
        disabled={chosen.length === 0}
        onSubmit={() => save.mutate(undefined, { onSuccess: onCreated })}
        onCancel={onClose}
      >
        <Text size="sm">{t.imports.createNote}</Text>
        <ul className={classes.rows}>
          {rows.map((row) => (
            <FieldRow key={row.column.index} row={row} onChange={(part) => change(row.column.index, part)} />
          ))}
        </ul>
        <Switch
          label={t.imports.fieldsOfStaff}
          description={t.imports.fieldsOfStaffNote}
          checked={isOfStaff}
          onChange={(event) => setOfStaff(event.currentTarget.checked)}
        />
        {save.error && (
          <Alert color="red" role="alert" title={t.imports.fieldsNotCreated}>
            {save.error.message}. {issuesText(save.error, (path) => path)}
          </Alert>
        )}
      </DialogForm>
    </Dialog>
  );
}

function rowOf(column: FreeColumn): Row {
  const { name, label, values } = column;
  return { ...proposeField(name, values), column, label: (name || label).slice(0, MAX_LABEL), isChosen: true };
}

function FieldRow({ row, onChange }: { row: Row; onChange: (part: Partial<Row>) => void }) {
  const { column, label, kind, choices, settings, isChosen } = row;
  const hasChoices = kind === 'select' || kind === 'multiselect';
  const changeKind = (next: ColumnKind): void => {
    const isOfChoices = next === 'select' || next === 'multiselect';
    onChange({
      kind: next,
      choices: isOfChoices ? choicesFor(next, column.values, settings.separator) : [],
      settings: next === kind ? settings : {},
    });
  };
  return (
    <li>
      <Checkbox
        label={<span className="breaks">{column.label.slice(0, MAX_LABEL)}</span>}
        checked={isChosen}
        onChange={(event) => onChange({ isChosen: event.currentTarget.checked })}
      />
      {isChosen && (
        <div className={classes.newField}>
          <TextInput
            size="xs"
            label={t.imports.newName}
            aria-label={t.imports.newNameOf(column.label)}
            maxLength={MAX_LABEL}
            required
            value={label}
            onChange={(event) => onChange({ label: event.currentTarget.value })}
          />
          <NativeSelect
            size="xs"
            label={t.imports.newKind}
            aria-label={t.imports.newKindOf(column.label)}
            data={KINDS}
            value={kind}
            onChange={(event) => changeKind(event.currentTarget.value as ColumnKind)}
          />
          {hasChoices && (
            <Textarea
              className={classes.choices ?? ''}
              size="xs"
              label={t.imports.newChoices}
              aria-label={t.imports.newChoicesOf(column.label)}
              autosize
              maxRows={6}
              required
              value={choices.join('\n')}
              onChange={(event) => onChange({ choices: event.currentTarget.value.split('\n') })}
            />
          )}
          {column.values.length === 0 && <Badge variant="default">{t.imports.noValues}</Badge>}
        </div>
      )}
    </li>
  );
}

/** Adds fields to the newest schema; once more if another version was saved meanwhile. */
async function saveFields(sourceAppId: string, rows: readonly Row[], isOfStaff: boolean, isAgain = false) {
  const params = { sourceAppId };
  const { body: schema, etag } = await callWithEtag('GET /auth/apps/:sourceAppId/schema', { params });
  const added = fieldsOf(rows, schema.fields, isOfStaff);
  const body = { rejectUnknown: schema.rejectUnknown, fields: [...schema.fields, ...added] } as SchemaInput;
  try {
    await call('PUT /auth/apps/:sourceAppId/schema', { params, body, headers: { 'If-Match': etag } });
  } catch (error) {
    if (isAgain || !hasStatus(error as Error, 412)) throw error;
    return saveFields(sourceAppId, rows, isOfStaff, true);
  }
  return rows.map(({ column, settings }, at): CreatedField => {
    return { index: column.index, key: added[at]?.key ?? '', settings };
  });
}

function fieldsOf(rows: readonly Row[], fields: Schema['fields'], isOfStaff: boolean): Pick<Field, 'key'>[] {
  const taken = new Set(fields.map(({ key }) => key));
  return rows.map(({ label, kind, choices }) => {
    const key = keyBeside(taken, keyFor(label));
    taken.add(key);
    const values = [...new Set(choices.map((choice) => choice.trim()).filter((choice) => choice !== ''))];
    const hasChoices = kind === 'select' || kind === 'multiselect';
    const field = { key, label: label.trim() || key, kind, required: false };
    return { ...field, ...(isOfStaff && { writers: 'staff' }), ...(hasChoices && { enum: values }) };
  });
}
