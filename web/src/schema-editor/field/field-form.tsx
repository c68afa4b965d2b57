import { Checkbox, NativeSelect, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { AS_TYPED, checkboxProps, inputProps } from '../../components/form/input.ts';
import { NumberInput } from '../../components/form/number-input.tsx';
import { RightIcon } from '../../components/icons.tsx';
import { t } from '../../texts/texts.ts';
import { conditionTexts } from '../draft/condition-texts.ts';
import { CONDITIONS } from '../draft/conditions.ts';
import { doesFit, KINDS, type LooseDefinition } from '../draft/draft.ts';
import { KIND_NAMES, kindHelp } from '../draft/field-texts.ts';
import { capitalize } from '../draft/messages.ts';
import { type Conditions, type FieldOption, getKind, isOfStaff, ONLY_OF_STAFF } from '../draft/rules.ts';
import { ConditionsControl } from './conditions-control.tsx';
import classes from './field-form.module.css';
import { OptionControl } from './option-control.tsx';

interface FieldFormProps {
  definition: LooseDefinition;
  /** Messages by option name; `''` holds a message about the whole field. */
  problems: Readonly<Record<string, string>>;
  /** The definitions above the field. */
  earlier: readonly LooseDefinition[];
  onChange: (part: Partial<LooseDefinition>) => void;
}

/** Edits one field and shows the problem of each input. */
export function FieldForm(props: FieldFormProps) {
  const { definition, problems, onChange } = props;
  const help = kindHelp(definition.kind);
  const { control, options, formOptions } = getKind(definition.kind);
  const ofStaff = isOfStaff(definition);
  return (
    <div className={classes.form}>
      <TextInput
        label={t.schemaEditor.label}
        description={definition.kind === 'checkbox' ? t.schemaEditor.checkboxLabelNote : t.schemaEditor.labelNote}
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
      {!ofStaff && (
        <Checkbox
          className={classes.required ?? ''}
          label={control === 'checkbox' ? t.schemaEditor.mustBeChecked : t.schemaEditor.required}
          {...checkboxProps(definition.required, (isChecked) => onChange({ required: isChecked }))}
        />
      )}
      <Checkbox
        className={classes.wide ?? ''}
        label={t.schemaEditor.staffOnly}
        description={t.schemaEditor.staffOnlyNote}
        {...checkboxProps(ofStaff, (isChecked) => onChange({ writers: isChecked ? 'staff' : undefined }))}
        error={capitalize(problems.writers)}
      />
      <Options options={ofStaff ? { ...options, ...shownToTeam(formOptions) } : options} {...props} />
      {help && <p className={classes.hint}>{help}</p>}
      {!ofStaff && <WhenSection {...props} />}
      {!ofStaff && <FormSection {...props} />}
      {problems[''] && <p className={classes.problem}>{capitalize(problems[''])}</p>}
    </div>
  );
}

/** When the field counts, and on which page. */
function WhenSection({ definition, earlier, problems, onChange }: FieldFormProps) {
  const shared = { earlier, problems };
  const { page } = definition;
  return (
    <>
      {CONDITIONS.map((name) => (
        <ConditionsControl
          key={name}
          {...shared}
          name={name}
          value={definition[name] as Conditions | undefined}
          onChange={(conditions) => onChange({ [name]: conditions })}
        />
      ))}
      {definition.showIf !== undefined && !getKind(definition.kind).staysHidden && (
        <Checkbox
          className={classes.wide ?? ''}
          label={conditionTexts.keepHidden}
          {...checkboxProps(definition.keepHidden === true, (isChecked) =>
            onChange({ keepHidden: isChecked || undefined }),
          )}
        />
      )}
      <NumberInput
        label={conditionTexts.page}
        description={conditionTexts.pageNote}
        inputMode="numeric"
        value={page}
        onChange={(next) => onChange({ page: next })}
        error={capitalize(problems.page)}
      />
    </>
  );
}

type NamedOptions = Readonly<Record<string, FieldOption>>;

/** The form options that matter to a field which is in no form. */
const OF_TEAM = ['default', ...ONLY_OF_STAFF, 'enumLabels'];

const shownToTeam = (options: NamedOptions): NamedOptions =>
  Object.fromEntries(OF_TEAM.flatMap((name) => (options[name] ? [[name, options[name]]] : [])));

/** The options that a form may have. Closed at first, unless one of them has a problem. */
function FormSection(props: FieldFormProps) {
  const [wasOpened, setOpened] = useState(false);
  const { formOptions } = getKind(props.definition.kind);
  const shownInForm = Object.fromEntries(
    Object.entries(formOptions).filter(([name]) => doesFit(props.definition, name)),
  );
  const isOpen = wasOpened || Object.keys(formOptions).some((name) => props.problems[name] !== undefined);
  return (
    <>
      <UnstyledButton className={classes.sectionToggle ?? ''} aria-expanded={isOpen} onClick={() => setOpened(!isOpen)}>
        <span className={isOpen ? classes.arrowOpen : classes.arrow}>
          <RightIcon size={14} />
        </span>
        {t.schemaEditor.form}
      </UnstyledButton>
      {isOpen && <Options {...props} options={shownInForm} />}
    </>
  );
}

interface OptionsProps extends FieldFormProps {
  options: NamedOptions;
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
