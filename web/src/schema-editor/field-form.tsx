import { Checkbox, NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { KINDS, type LooseDefinition } from './draft.ts';
import classes from './field-form.module.css';
import { KIND_NAMES } from './kind-names.ts';

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
        label={definition.kind === 'checkbox' ? 'Must be ticked' : 'Required'}
        checked={definition.required}
        onChange={(event) => onChange({ required: event.currentTarget.checked })}
      />
      <Options definition={definition} problems={problems} onChange={onChange} />
      {problems[''] && <p className={classes.problem}>{told(problems[''])}</p>}
    </div>
  );
}

function Options({ definition, problems, onChange }: FieldFormProps) {
  const number = (option: 'minLength' | 'maxLength' | 'min' | 'max', label: string) => (
    <Bound
      label={label}
      value={definition[option]}
      problem={problems[option]}
      onChange={(value) => onChange({ [option]: value })}
    />
  );
  switch (definition.kind) {
    case 'text':
      return (
        <>
          {number('minLength', 'Shortest length')}
          {number('maxLength', 'Greatest length')}
          <TextInput
            className={classes.wide ?? ''}
            label="Pattern"
            description="A regular expression, found anywhere in the text unless it begins with ^ and ends with $"
            placeholder="^[A-Z]{2}-[0-9]{4}$"
            spellCheck={false}
            classNames={{ input: classes.code ?? '' }}
            value={definition.regex ?? ''}
            error={told(problems.regex)}
            onChange={(event) => onChange({ regex: event.currentTarget.value || undefined })}
          />
        </>
      );
    case 'number':
      return (
        <>
          {number('min', 'Least value')}
          {number('max', 'Greatest value')}
        </>
      );
    case 'select':
      return (
        <TagsInput
          className={classes.wide ?? ''}
          label="Values"
          description="Type a value and press Enter"
          value={definition.enum ?? []}
          error={told(problems.enum)}
          splitChars={[]}
          acceptValueOnBlur
          onChange={(values) => onChange({ enum: values })}
        />
      );
    case 'array':
      return (
        <p className={classes.hint}>
          Each submission adds its items to those stored, with the time they came. Items may have any shape.
        </p>
      );
    case 'checkbox':
    case 'date':
      return null;
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
