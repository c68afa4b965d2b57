import { Checkbox, NativeSelect, TextInput, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { AS_TYPED, checkboxProps, inputProps } from '../../components/form/input.ts';
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
  /** Whether what is rarely set is shown. It stays so for the next field. */
  isMoreOpen: boolean;
  onMore: (isOpen: boolean) => void;
}

/** The options that a person sets at first, in this order. */
const FIRST = ['help', 'enum', 'ends', 'types', 'consent'];

/** Edits one field and shows the problem of each input: first what is set of each field. */
export function FieldForm(props: FieldFormProps) {
  const { definition, problems, onChange } = props;
  const { control, options, formOptions } = getKind(definition.kind);
  const ofStaff = isOfStaff(definition);
  const offered = Object.entries({ ...options, ...(ofStaff ? shownToTeam(formOptions) : formOptions) }).filter(
    ([name]) => doesFit(definition, name),
  );
  const first = FIRST.flatMap((name) => offered.filter(([one]) => one === name));
  const others = offered.filter((option) => !first.includes(option));
  return (
    <div className={classes.form}>
      <TextInput
        label={t.schemaEditor.label}
        description={definition.kind === 'checkbox' ? t.schemaEditor.checkboxLabelNote : t.schemaEditor.labelNote}
        {...inputProps(definition.label, (text) => onChange({ label: text }))}
        error={capitalize(problems.label)}
      />
      <Options {...props} options={first} />
      {!ofStaff && (
        <Checkbox
          label={control === 'checkbox' ? t.schemaEditor.mustBeChecked : t.schemaEditor.required}
          {...checkboxProps(definition.required, (isChecked) => onChange({ required: isChecked }))}
        />
      )}
      {!ofStaff && <WhenSection {...props} />}
      <MoreSection {...props} others={others} />
      {problems[''] && <p className={classes.problem}>{capitalize(problems[''])}</p>}
    </div>
  );
}

interface DisclosureProps {
  title: string;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  children: ReactNode;
}

function Disclosure({ title, isOpen, onToggle, children }: DisclosureProps) {
  return (
    <>
      <UnstyledButton className={classes.sectionToggle ?? ''} aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
        <span className={isOpen ? classes.arrowOpen : classes.arrow}>
          <RightIcon size={14} />
        </span>
        {title}
      </UnstyledButton>
      {isOpen && children}
    </>
  );
}

/** When the field counts. Open for a field that has conditions. */
function WhenSection({ definition, earlier, problems, onChange }: FieldFormProps) {
  const fields = earlier.filter((one) => !isOfStaff(one));
  const has = CONDITIONS.some((name) => definition[name] !== undefined);
  const [isOpen, setOpen] = useState<boolean>();
  return (
    <Disclosure title={conditionTexts.section} isOpen={isOpen ?? has} onToggle={setOpen}>
      {CONDITIONS.map((name) => (
        <ConditionsControl
          key={name}
          legend={conditionTexts[name]}
          path={name}
          fields={fields}
          problems={problems}
          value={definition[name] as Conditions | undefined}
          onChange={(conditions) => onChange({ [name]: conditions })}
        />
      ))}
      {definition.showIf !== undefined && !getKind(definition.kind).staysHidden && (
        <Checkbox
          label={conditionTexts.keepHidden}
          {...checkboxProps(definition.keepHidden === true, (isChecked) =>
            onChange({ keepHidden: isChecked || undefined }),
          )}
        />
      )}
    </Disclosure>
  );
}

type NamedOption = readonly [name: string, option: FieldOption];

/** The form options that matter to a field which is in no form. */
const OF_TEAM = ['default', ...ONLY_OF_STAFF, 'enumLabels'];

const shownToTeam = (options: Readonly<Record<string, FieldOption>>): Record<string, FieldOption> =>
  Object.fromEntries(OF_TEAM.flatMap((name) => (options[name] ? [[name, options[name]]] : [])));

/** What is rarely set. Opens by itself if one of it has a problem. */
function MoreSection(props: FieldFormProps & { others: readonly NamedOption[] }) {
  const { definition, problems, others, onChange, isMoreOpen, onMore } = props;
  const help = kindHelp(definition.kind);
  const names = ['key', 'writers', 'page', ...others.map(([name]) => name)];
  const isOpen = isMoreOpen || names.some((name) => problems[name] !== undefined);
  return (
    <Disclosure title={t.schemaEditor.more} isOpen={isOpen} onToggle={onMore}>
      <TextInput
        label={t.schemaEditor.key}
        description={t.schemaEditor.keyNote}
        {...AS_TYPED}
        {...inputProps(definition.key, (text) => onChange({ key: text }))}
        error={capitalize(problems.key)}
      />
      <NativeSelect
        label={t.schemaEditor.type}
        description={help}
        value={definition.kind}
        data={KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] }))}
        onChange={(event) => {
          const kind = KINDS.find((known) => known === event.currentTarget.value);
          if (kind) onChange({ kind });
        }}
      />
      <Checkbox
        label={t.schemaEditor.staffOnly}
        description={t.schemaEditor.staffOnlyNote}
        {...checkboxProps(isOfStaff(definition), (isChecked) => onChange({ writers: isChecked ? 'staff' : undefined }))}
        error={capitalize(problems.writers)}
      />
      <Options {...props} options={others} />
      {problems.page && <p className={classes.problem}>{capitalize(problems.page)}</p>}
    </Disclosure>
  );
}

interface OptionsProps extends FieldFormProps {
  options: readonly NamedOption[];
}

function Options({ options, definition, problems, onChange }: OptionsProps) {
  return options.map(([name, option]) => (
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
