import { Checkbox, NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { KINDS, type LooseDefinition } from './draft.ts';
import classes from './field-form.module.css';
import { KIND_NAMES } from './kind-names.ts';
import { type FieldOption, kindOf } from './rules.ts';

interface FieldFormProps {
  definition: LooseDefinition;
  /** By the option's name. */
  problems: Readonly<Record<string, string>>;
  onChange: (part: Partial<LooseDefinition>) => void;
}

/** The label, key, kind and options of one field, each with what is wrong about it. */
export function FieldForm({ definition, problems, onChange }: FieldFormProps) {
  return (
    <div className={classes.form}>
      <TextInput
        label="Label"
        description="What people see"
        value={definition.label}
        error={told(problems.label)}
        onChange={(event) => onChange({ label: event.currentTarget.value })}
      />
      <TextInput
        label="Key"
        description="The name in the data"
        spellCheck={false}
        autoCapitalize="none"
        value={definition.key}
        error={told(problems.key)}
        onChange={(event) => onChange({ key: event.currentTarget.value })}
      />
      <NativeSelect
        label="Kind"
        value={definition.kind}
        data={KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] }))}
        onChange={(event) => {
          const kind = KINDS.find((known) => known === event.currentTarget.value);
          if (kind) onChange({ kind });
        }}
      />
      <Checkbox
        className={classes.required ?? ''}
        label={kindOf(definition.kind).control === 'checkbox' ? 'Must be ticked' : 'Required'}
        checked={definition.required}
        onChange={(event) => onChange({ required: event.currentTarget.checked })}
      />
      <Options definition={definition} problems={problems} onChange={onChange} />
      {problems[''] && <p className={classes.problem}>{told(problems[''])}</p>}
    </div>
  );
}

function Options({ definition, problems, onChange }: FieldFormProps) {
  const { options, help } = kindOf(definition.kind);
  return (
    <>
      {Object.entries(options).map(([name, option]) => (
        <Option
          key={name}
          option={option}
          value={definition[name]}
          problem={problems[name]}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      {help && <p className={classes.hint}>{help}</p>}
    </>
  );
}

interface OptionProps {
  option: FieldOption;
  value: unknown;
  problem: string | undefined;
  onChange: (value: unknown) => void;
}

function Option({ option, value, problem, onChange }: OptionProps) {
  switch (option.control) {
    case 'number':
      return (
        <Bound
          label={option.label}
          value={typeof value === 'number' ? value : undefined}
          problem={problem}
          onChange={onChange}
        />
      );
    case 'pattern':
      return (
        <TextInput
          className={classes.wide ?? ''}
          label={option.label}
          description={option.help}
          placeholder="^[A-Z]{2}-[0-9]{4}$"
          spellCheck={false}
          classNames={{ input: classes.code ?? '' }}
          value={typeof value === 'string' ? value : ''}
          error={told(problem)}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      );
    case 'choices':
      return (
        <TagsInput
          className={classes.wide ?? ''}
          label={option.label}
          description="Type a value and press Enter"
          value={Array.isArray(value) ? value.map(String) : []}
          error={told(problem)}
          splitChars={[]}
          acceptValueOnBlur
          onChange={onChange}
        />
      );
  }
}

interface BoundProps {
  label: string;
  value: number | undefined;
  problem: string | undefined;
  onChange: (value: number | undefined) => void;
}

function Bound({ label, value, problem, onChange }: BoundProps) {
  const [typed, setTyped] = useState('');
  // What is typed on the way to a number, like `1.`, stays; a value from elsewhere, as when changes are discarded, replaces it.
  const shown = Object.is(numberOf(typed), value) ? typed : String(value ?? '');
  return (
    <TextInput
      label={label}
      placeholder="No bound"
      inputMode="decimal"
      value={shown}
      error={told(problem)}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onChange(numberOf(event.currentTarget.value));
      }}
    />
  );
}

/** An empty text is no bound; what is not a number becomes a problem that the rules name. */
function numberOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text.trim());
}

/** A problem as a sentence. */
export function told(problem: string | undefined): string | undefined {
  return problem && problem.charAt(0).toUpperCase() + problem.slice(1);
}
