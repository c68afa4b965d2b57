import { Fieldset, Text, TextInput } from '@mantine/core';
import { inputProps } from '../../components/form/input.ts';
import { t } from '../../texts/texts.ts';

interface ConsentControlProps {
  label: string;
  description: string | undefined;
  error: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Edits the version and the page of the text that a person agrees to. */
export function ConsentControl({ label, description, error, value, onChange }: ConsentControlProps) {
  const { version = '', url = '' } = (value ?? {}) as { version?: string; url?: string };
  const change = (next: { version: string; url: string }): void => {
    const isEmpty = next.version === '' && next.url === '';
    onChange(isEmpty ? undefined : { version: next.version, ...(next.url !== '' && { url: next.url }) });
  };
  return (
    <Fieldset legend={label}>
      <Text size="xs" c="dimmed">
        {description}
      </Text>
      <TextInput
        mt="xs"
        label={t.schemaEditor.consentVersion}
        {...inputProps(version, (text) => change({ version: text, url }))}
        error={error}
      />
      <TextInput
        mt="xs"
        label={t.schemaEditor.consentPage}
        placeholder="https://"
        {...inputProps(url, (text) => change({ version, url: text }))}
      />
    </Fieldset>
  );
}
