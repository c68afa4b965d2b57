import { Checkbox, NativeSelect, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { AS_TYPED, checkboxProps, inputProps } from '../../components/form/input.ts';
import { RightIcon } from '../../components/icons.tsx';
import { t } from '../../texts/texts.ts';
import { KINDS, type LooseDefinition } from '../draft/draft.ts';
import { KIND_NAMES, kindHelp } from '../draft/field-texts.ts';
import { capitalize } from '../draft/messages.ts';
import { type FieldOption, getKind } from '../draft/rules.ts';
import classes from './field-form.module.css';
import { OptionControl } from './option-control.tsx';

interface FieldFormProps {
  definition: LooseDefinition;
  /** Messages by option name; `''` holds a message about the whole field. */
  problems: Readonly<Record<string, string>>;
  onChange: (part: Partial<LooseDefinition>) => void;
}

/** Edits one field and shows the problem of each input. */
export function FieldForm(props: FieldFormProps) {
  const { definition, problems, onChange } = props;
  const help = kindHelp(definition.kind);
  const { control, options } = getKind(definition.kind);
  return (
    <div className={classes.form}>
      <TextInput
        label={t.schemaEditor.label}
        description={t.schemaEditor.labelNote}
        {...inputProps(definition.label, (text) => onChange({ label: text }))}
        error={capitalize(problems.label)}
      />
      <TextInput
        label={t.schemaEditor.key}
        description={t.schemaEditor.keyNote}
        {...AS_TYPED}
        {...inputProps(definition.key, (text) => onChange({ key: text }))}
        error={capitalize(problems.key)}
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
        label={control === 'checkbox' ? t.schemaEditor.mustBeChecked : t.schemaEditor.required}
        {...checkboxProps(definition.required, (isChecked) => onChange({ required: isChecked }))}
      />
      <Options options={options} {...props} />
      {help && <p className={classes.hint}>{help}</p>}
      <FormSection {...props} />
      {problems[''] && <p className={classes.problem}>{capitalize(problems[''])}</p>}
    </div>
  );
}

/** The options that a form may have. Closed at first, unless one of them has a problem. */
function FormSection(props: FieldFormProps) {
  const [wasOpened, setOpened] = useState(false);
  const { formOptions } = getKind(props.definition.kind);
  const isOpen = wasOpened || Object.keys(formOptions).some((name) => props.problems[name] !== undefined);
  return (
    <>
      <UnstyledButton className={classes.sectionToggle ?? ''} aria-expanded={isOpen} onClick={() => setOpened(!isOpen)}>
        <span className={isOpen ? classes.arrowOpen : classes.arrow}>
          <RightIcon size={14} />
        </span>
        {t.schemaEditor.form}
      </UnstyledButton>
      {isOpen && <Options {...props} options={formOptions} />}
    </>
  );
}

interface OptionsProps extends FieldFormProps {
  options: Readonly<Record<string, FieldOption>>;
}

function Options({ options, definition, problems, onChange }: OptionsProps) {
  return Object.entries(options).map(([name, option]) => (
    <OptionControl
      key={name}
      name={name}
      option={option}
      definition={definition}
      value={definition[name]}
      problem={problems[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  ));
}
