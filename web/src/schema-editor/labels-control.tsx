import { Fieldset, Text, TextInput } from '@mantine/core';
import { t } from '../texts/texts.ts';
import classes from './field-form.module.css';
import { labelsOf } from './form-options.ts';

interface LabelsControlProps {
  label: string;
  description: string | undefined;
  error: string | undefined;
  /** The values that have labels. */
  choices: unknown;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Edits a label for each choice of a field. Labels of other values are kept. */
export function LabelsControl({ label, description, error, choices, value, onChange }: LabelsControlProps) {
  const labels = labelsOf(value);
  const values = Array.isArray(choices) ? [...new Set(choices.map(String))] : [];
  const change = (choice: string, text: string): void => {
    const { [choice]: _, ...others } = labels;
    const next = text === '' ? others : { ...labels, [choice]: text };
    onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  return (
    <Fieldset legend={label} className={classes.wide ?? ''}>
      <Text size="xs" c="dimmed">
        {description}
      </Text>
      {values.map((choice) => (
        <TextInput
          key={choice}
          mt="xs"
          label={choice === '' ? t.schemaEditor.labelOfEmpty : t.schemaEditor.labelOf(choice)}
          value={Object.hasOwn(labels, choice) ? labels[choice] : ''}
          onChange={(event) => change(choice, event.currentTarget.value)}
        />
      ))}
      {error && <Text c="var(--mantine-color-error)">{error}</Text>}
    </Fieldset>
  );
}
