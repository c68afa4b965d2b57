import { Checkbox, NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { KINDS, type LooseDefinition } from './draft.ts';
import classes from './field-form.module.css';
import { KIND_NAMES } from './kind-names.ts';
import { type FieldOption, kindOf } from './rules.ts';

interface FieldFormProps {
  definition: LooseDefinition;
  /** Messages by option name; `''` holds a message about the whole field. */
  problems: Readonly<Record<string, string>>;
  onChange: (part: Partial<LooseDefinition>) => void;
}

/** Edits the label, key, type and options of one field and shows the problem of each. */
export function FieldForm({ definition, problems, onChange }: FieldFormProps) {
  return (
    <div className={classes.form}>
      <TextInput
        label="Label"
        description="Shown in forms and in the dashboard"
        value={definition.label}
        error={capitalize(problems.label)}
        onChange={(event) => onChange({ label: event.currentTarget.value })}
      />
      <TextInput
        label="Key"
        description="Property name in the submitted data"
        spellCheck={false}
        autoCapitalize="none"
        value={definition.key}
        error={capitalize(problems.key)}
        onChange={(event) => onChange({ key: event.currentTarget.value })}
      />
      <NativeSelect
        label="Type"
        value={definition.kind}
        data={KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] }))}
        onChange={(event) => {
          const kind = KINDS.find((known) => known === event.currentTarget.value);
          if (kind) onChange({ kind });
        }}
      />
      <Checkbox
        className={classes.required ?? ''}
        label={kindOf(definition.kind).control === 'checkbox' ? 'Must be checked' : 'Required'}
        checked={definition.required}
        onChange={(event) => onChange({ required: event.currentTarget.checked })}
      />
      <Options definition={definition} problems={problems} onChange={onChange} />
      {problems[''] && <p className={classes.problem}>{capitalize(problems[''])}</p>}
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
          error={capitalize(problem)}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      );
    case 'switch':
      return (
        <Checkbox
          className={classes.wide ?? ''}
          label={option.label}
          description={option.help}
          checked={value === true}
          error={capitalize(problem)}
          onChange={(event) => onChange(event.currentTarget.checked || undefined)}
        />
      );
    case 'choices':
      return (
        <TagsInput
          className={classes.wide ?? ''}
          label={option.label}
          description="Type a value and press Enter"
          value={Array.isArray(value) ? value.map(String) : []}
          error={capitalize(problem)}
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
  // Keeps the typed text while it means the same number, for example `1.`. Shows the value when it
  // was changed elsewhere, for example by discarding the changes.
  const shown = Object.is(numberOf(typed), value) ? typed : String(value ?? '');
  return (
    <TextInput
      label={label}
      placeholder="No limit"
      inputMode="decimal"
      value={shown}
      error={capitalize(problem)}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onChange(numberOf(event.currentTarget.value));
      }}
    />
  );
}

/**
 * `undefined` for an empty text, and `NaN` for a text that is not a number, which the rules reject.
 */
function numberOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text.trim());
}

export function capitalize(message: string | undefined): string | undefined {
  return message && message.charAt(0).toUpperCase() + message.slice(1);
}
