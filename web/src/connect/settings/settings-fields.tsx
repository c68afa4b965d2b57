import { NativeSelect, Textarea, TextInput, Title } from '@mantine/core';
import { capitalize } from '../../schema-editor/messages.ts';
import type { Scope } from '../../users/scope.ts';
import { EmailFields } from './email-fields.tsx';
import own from './settings.module.css';
import { SETTING_NAMES, type SettingName } from './settings-draft.ts';
import { TranslatedTexts } from './translated-texts.tsx';
import type { SettingsEditor } from './use-settings.ts';

const PROTECTIONS = [
  { value: 'honeypot', label: 'Hidden field: catches simple bots (recommended)' },
  { value: 'proof-of-work', label: 'Proof of work: stronger, needs JavaScript' },
  { value: 'off', label: 'Off' },
] as const;

const PROTECTION_HELP = {
  honeypot: 'Submissions that fill in a field that people do not see are held for you to check.',
  'proof-of-work':
    'The browser of each person computes for up to a second. Forms sent without JavaScript are held, programs are refused.',
  off: 'Every submission that fits the schema is stored.',
};

interface SettingsFieldsProps {
  scope: Scope;
  editor: SettingsEditor;
  /** The language that is shown; empty: the one of the texts. */
  tag: string;
  onTag: (tag: string) => void;
}

export function SettingsFields({ scope, editor, tag, onTag }: SettingsFieldsProps) {
  const { draft, problems, edit } = editor;
  const control = (name: SettingName) => ({
    label: SETTING_NAMES[name],
    value: draft[name],
    error: capitalize(problems[name]),
    onChange: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
  });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div className={own.fields}>
      <Title order={2} size="h4">
        Texts
      </Title>
      <TextInput {...control('title')} description="The heading of the form" />
      <Textarea {...control('description')} description="Shown above the fields" rows={3} />
      <TextInput {...control('submitLabel')} placeholder="Send" />
      <Textarea {...control('thanks')} description="Shown after a submission" rows={3} />
      <TextInput
        {...control('next')}
        description="A page of yours that people see instead of the thank-you text"
        placeholder="https://www.example.com/thanks"
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextInput
        {...control('locale')}
        description="The language of your texts, such as en, de or pt-BR"
        placeholder="en"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TranslatedTexts editor={editor} tag={tag} onTag={onTag} />
      <Title order={2} size="h4" mt="md">
        Rules
      </Title>
      <NativeSelect
        {...control('botProtection')}
        description={PROTECTION_HELP[draft.botProtection]}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data={[...PROTECTIONS]}
        onChange={(event) => {
          const chosen = PROTECTIONS.find(({ value }) => value === event.currentTarget.value);
          if (chosen) edit({ botProtection: chosen.value });
        }}
      />
      <TextInput
        {...control('closesAt')}
        type="datetime-local"
        description={`From then on every submission is refused. In your time zone, ${zone}`}
      />
      <TextInput
        {...control('maxRecords')}
        description="From this number on, new people are refused"
        placeholder="No limit"
        inputMode="numeric"
      />
      <TextInput
        {...control('submitPerMinute')}
        description="From one address on the internet. Empty: the limit of the service"
        placeholder="Limit of the service"
        inputMode="numeric"
      />
      <TextInput
        {...control('timeZone')}
        description="For times that a form sends without a zone, such as Europe/Berlin"
        placeholder={zone}
        list="time-zones"
        autoCapitalize="none"
        spellCheck={false}
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <EmailFields scope={scope} editor={editor} />
    </div>
  );
}
