import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { serviceText } from '../texts/service.ts';
import { t } from '../texts/texts.ts';
import { KINDS } from './draft.ts';
import classes from './field-form.module.css';
import type { FieldFormProps } from './field-form-props.ts';
import { FormSection } from './form-section.tsx';
import { KIND_NAMES } from './kind-names.ts';
import { capitalize } from './messages.ts';
import { OptionControl } from './option-control.tsx';
import { getKind } from './rules.ts';

/** Edits one field and shows the problem of each input. */
export function FieldForm({ definition, problems, onChange }: FieldFormProps) {
  return (
    <div className={classes.form}>
      <TextInput
        label={t.schemaEditor.label}
        description={t.schemaEditor.labelNote}
        value={definition.label}
        error={capitalize(problems.label)}
        onChange={(event) => onChange({ label: event.currentTarget.value })}
      />
      <TextInput
        label={t.schemaEditor.key}
        description={t.schemaEditor.keyNote}
        spellCheck={false}
        autoCapitalize="none"
        value={definition.key}
        error={capitalize(problems.key)}
        onChange={(event) => onChange({ key: event.currentTarget.value })}
      />
      <NativeSelect
        label={t.schemaEditor.type}
        value={definition.kind}
        data={KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] }))}
        onChange={(event) => {
          const kind = KINDS.find((known) => known === event.currentTarget.value);
          if (kind) onChange({ kind });
        }}
      />
      <Checkbox
        className={classes.required ?? ''}
        label={getKind(definition.kind).control === 'checkbox' ? t.schemaEditor.mustBeChecked : t.schemaEditor.required}
        checked={definition.required}
        onChange={(event) => onChange({ required: event.currentTarget.checked })}
      />
      <Options definition={definition} problems={problems} onChange={onChange} />
      <FormSection definition={definition} problems={problems} onChange={onChange} />
      {problems[''] && <p className={classes.problem}>{capitalize(problems[''])}</p>}
    </div>
  );
}

function Options({ definition, problems, onChange }: FieldFormProps) {
  const { options, help } = getKind(definition.kind);
  return (
    <>
      {Object.entries(options).map(([name, option]) => (
        <OptionControl
          key={name}
          name={name}
          option={option}
          definition={definition}
          value={definition[name]}
          problem={problems[name]}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      {help && <p className={classes.hint}>{serviceText(help)}</p>}
    </>
  );
}
