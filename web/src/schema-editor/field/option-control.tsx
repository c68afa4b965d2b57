import { Checkbox, Group, NativeSelect, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { checkboxProps, inputProps } from '../../components/form/input.ts';
import { NumberInput } from '../../components/form/number-input.tsx';
import { t } from '../../texts/texts.ts';
import type { LooseDefinition } from '../draft/draft.ts';
import { optionHelp, optionName, valueName } from '../draft/field-texts.ts';
import { capitalize } from '../draft/messages.ts';
import { type FieldOption, safeParse } from '../draft/rules.ts';
import { ConsentControl } from './consent-control.tsx';
import { DefaultControl } from './default-control.tsx';
import classes from './field-form.module.css';
import { ChoiceTranslations, LabelsControl, TranslationsControl } from './translations-control.tsx';

interface OptionControlProps {
  name: string;
  option: FieldOption;
  /** The definition that has the option. */
  definition: LooseDefinition;
  value: unknown;
  problem: string | undefined;
  onChange: (value: unknown) => void;
}

/** The members of the texts at both ends of a scale. */
const ENDS = ['min', 'max'];

const LINE_BREAKS = ['\n', '\r'];

const BYTES_OF_MB = 1_000_000;

/** Edits one option of a field. An option that is cleared becomes `undefined`. */
export function OptionControl({ name, option, definition, value, problem, onChange }: OptionControlProps) {
  const label = optionName(name);
  const description = optionHelp(name);
  const typed = inputProps(typeof value === 'string' ? value : '', (text) => onChange(text || undefined));
  const shared = { label, description, error: capitalize(problem) };
  switch (option.control) {
    case 'number':
      // People know sizes of files in megabytes.
      if (name === 'maxBytes') {
        const megabytes = typeof value === 'number' ? value / BYTES_OF_MB : value;
        return (
          <NumberInput
            label={label}
            placeholder={t.schemaEditor.noLimit}
            value={megabytes}
            error={shared.error}
            onChange={(next) => onChange(typeof next === 'number' ? Math.round(next * BYTES_OF_MB) : next)}
          />
        );
      }
      return (
        <NumberInput
          label={label}
          placeholder={t.schemaEditor.noLimit}
          value={value}
          error={shared.error}
          isSigned={safeParse(option.schema, -1).success}
          onChange={onChange}
        />
      );
    case 'pattern':
      return (
        <TextInput
          {...shared}
          placeholder="^[A-Z]{2}-[0-9]{4}$"
          spellCheck={false}
          classNames={{ input: classes.code ?? '' }}
          {...typed}
        />
      );
    case 'choices':
      return <ChoicesControl {...shared} value={Array.isArray(value) ? value.map(String) : []} onChange={onChange} />;
    case 'line':
      return <TextInput {...shared} {...typed} />;
    case 'multiline':
      return <Textarea {...shared} rows={2} {...typed} />;
    case 'switch':
      return (
        <Checkbox {...shared} {...checkboxProps(value === true, (isChecked) => onChange(isChecked || undefined))} />
      );
    case 'oneOf':
      return (
        <NativeSelect
          {...shared}
          {...typed}
          data={[
            { value: '', label: t.schemaEditor.standard },
            ...(option.values ?? []).map((one) => ({ value: one, label: valueName(one) })),
          ]}
        />
      );
    case 'someOf':
      return (
        <Checkbox.Group
          {...shared}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(chosen) => onChange((option.values ?? []).filter((one) => chosen.includes(one)))}
        >
          <Group gap="md" mt={6}>
            {(option.values ?? []).map((one) => (
              <Checkbox key={one} value={one} label={valueName(one)} />
            ))}
          </Group>
        </Checkbox.Group>
      );
    case 'value':
      return <DefaultControl {...shared} definition={definition} value={value} onChange={onChange} />;
    case 'labels':
      return <LabelsControl {...shared} choices={definition.enum} value={value} onChange={onChange} />;
    case 'byLanguage':
      return (
        <TranslationsControl
          label={label}
          error={shared.error}
          value={value}
          onChange={onChange}
          isLong={name === 'helps'}
        />
      );
    case 'labelsByLanguage':
      return (
        <ChoiceTranslations
          label={label}
          error={shared.error}
          value={value}
          choices={definition.enum}
          onChange={onChange}
        />
      );
    case 'ends':
      return (
        <LabelsControl {...shared} choices={ENDS} nameOf={t.schemaEditor.endOf} value={value} onChange={onChange} />
      );
    case 'endsByLanguage':
      return (
        <ChoiceTranslations
          label={label}
          error={shared.error}
          value={value}
          choices={ENDS}
          nameOf={t.schemaEditor.endOf}
          onChange={onChange}
        />
      );
    case 'consent':
      return <ConsentControl {...shared} value={value} onChange={onChange} />;
  }
}

interface ChoicesControlProps {
  label: string;
  error: string | undefined;
  value: string[];
  onChange: (value: unknown) => void;
}

/** Edits a list of choices. One that nobody has filled in yet is no mistake. */
function ChoicesControl({ label, error, value, onChange }: ChoicesControlProps) {
  const [wasLeft, setLeft] = useState(false);
  return (
    <TagsInput
      label={label}
      error={wasLeft || value.length > 0 ? error : undefined}
      description={t.schemaEditor.choicesNote}
      value={value}
      // A list that is pasted. Choices that differ in case are two.
      splitChars={LINE_BREAKS}
      isDuplicate={(choice, choices) => choices.includes(choice)}
      acceptValueOnBlur
      onBlur={() => setLeft(true)}
      onChange={onChange}
    />
  );
}
