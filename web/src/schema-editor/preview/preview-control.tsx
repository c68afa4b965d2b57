import {
  Anchor,
  Checkbox,
  FileInput,
  Flex,
  NativeSelect,
  Radio,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { labelNodes, marked, plainLabel } from '#src/features/display/marks.ts';
import { offeredChoices } from '#src/features/display/markup.ts';
import { inputProps } from '../../components/form/input.ts';
import { Marked } from '../../components/marked.tsx';
import { t } from '../../texts/texts.ts';
import { CHOICE_SEPARATOR, choicesIn, type FormControl } from '../draft/rules.ts';

interface PreviewControlProps {
  control: FormControl;
  /** The text of the control; `true` or `false` for a checkbox. */
  text: string;
  error: string | undefined;
  onChange: (text: string) => void;
}

/** One field of the preview. A hidden field is named, because its value counts too. */
export function PreviewControl({ control, text, error, onChange }: PreviewControlProps) {
  const { key, type, label, required, attributes, choices, consent } = control;
  const help = control.help && <Marked nodes={marked(control.help)} />;
  const shared = { label, description: help, error, withAsterisk: required };
  if (control.hidden) return <HiddenField control={control} text={text} error={error} />;
  switch (type) {
    case 'checkbox':
      return (
        <Checkbox
          label={<Marked nodes={[...labelNodes(control), required ? ' *' : '']} />}
          description={consent?.url ? <ConsentText help={help} url={consent.url} /> : help}
          error={error}
          checked={text === 'true'}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
        />
      );
    case 'select':
      return (
        <NativeSelect
          {...shared}
          value={text}
          data={[
            { value: '', label: String(attributes.placeholder ?? t.schemaEditor.selectOption) },
            ...choices.filter(isFilled),
          ]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'stars':
    case 'scale':
    case 'radio':
      return (
        <Radio.Group {...shared} name={`preview-${key}`} value={text} onChange={onChange}>
          <Flex direction={type === 'radio' ? 'column' : 'row'} wrap="wrap" gap={type === 'radio' ? 6 : 'sm'} mt={6}>
            {offeredChoices(control).map((choice) => (
              <Radio key={choice.value} {...choice} />
            ))}
          </Flex>
          {control.ends && (
            <Text c="dimmed">
              {[control.ends.min, control.ends.max].filter((end) => end !== undefined).join(' – ')}
            </Text>
          )}
        </Radio.Group>
      );
    case 'checkboxes':
      return (
        <Checkbox.Group
          {...shared}
          value={choicesIn([text])}
          onChange={(chosen) =>
            onChange(
              choices
                .map(({ value }) => value)
                .filter((value) => chosen.includes(value))
                .join(CHOICE_SEPARATOR),
            )
          }
        >
          <Stack gap={6} mt={6}>
            {choices.map((choice) => (
              <Checkbox key={choice.value} {...choice} />
            ))}
          </Stack>
        </Checkbox.Group>
      );
    case 'file':
      // The form uploads files; their tokens are no texts to enter.
      return <FileInput {...shared} accept={String(attributes.accept)} placeholder={t.schemaEditor.chooseFile} />;
    case 'textarea':
      return <Textarea {...shared} rows={3} placeholder={placeholderOf(control)} {...inputProps(text, onChange)} />;
    default:
      return (
        <TextInput
          {...shared}
          type={type === 'number' || type === 'list' ? 'text' : type}
          inputMode={type === 'number' && Number(attributes.min) >= 0 ? 'decimal' : undefined}
          placeholder={placeholderOf(control)}
          {...inputProps(text, onChange)}
        />
      );
  }
}

function HiddenField({ control, text, error }: Pick<PreviewControlProps, 'control' | 'text' | 'error'>) {
  const label = plainLabel(control);
  return (
    <Text c="dimmed">
      {text === '' ? t.schemaEditor.isHidden(label) : t.schemaEditor.isHiddenAndSends(label, text)}
      {error && (
        <Text span inherit c="var(--mantine-color-error)">
          {' '}
          {error}
        </Text>
      )}
    </Text>
  );
}

function ConsentText({ help, url }: { help: ReactNode; url: string }) {
  return (
    <>
      {help}{' '}
      <Anchor inherit href={url} target="_blank" rel="noreferrer">
        {url}
      </Anchor>
    </>
  );
}

/** A form sends no empty choice: an empty text counts as absent. */
function isFilled({ value }: { value: string }): boolean {
  return value !== '';
}

function placeholderOf({ type, attributes }: FormControl): string | undefined {
  if (attributes.placeholder !== undefined) return String(attributes.placeholder);
  return type === 'list' ? t.schemaEditor.itemToAppend : undefined;
}
