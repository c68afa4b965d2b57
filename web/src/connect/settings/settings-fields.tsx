import { Checkbox, NativeSelect, Textarea, TextInput, Title } from '@mantine/core';
import { CAPTCHA_PROVIDERS, CAPTCHA_WIDGETS } from '#src/features/display/captcha.ts';
import type { Field } from '../../api/endpoints.ts';
import { AS_TYPED, checkboxProps } from '../../components/form/input.ts';
import { useServiceTexts } from '../../languages/languages.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { t } from '../../texts/texts.ts';
import { isProvider } from '../captcha.ts';
import type { ConnectedApp } from '../queries.ts';
import { CaptchaFields } from './captcha-fields.tsx';
import { EmailFields } from './email-fields.tsx';
import { KnownPeopleField } from './known-people-field.tsx';
import { PageTitles } from './page-titles.tsx';
import own from './settings.module.css';
import type { SettingName } from './settings-draft.ts';
import { TranslatedTexts } from './translated-texts.tsx';
import type { SettingsEditor } from './use-settings.ts';

const OWN_PROTECTIONS = ['honeypot', 'proof-of-work', 'off'] as const;

interface SettingsFieldsProps {
  app: ConnectedApp;
  editor: SettingsEditor;
  fields: readonly Field[];
  /** The language that is shown; empty: the one of the texts. */
  tag: string;
  onTag: (tag: string) => void;
}

export function SettingsFields({ app, editor, fields, tag, onTag }: SettingsFieldsProps) {
  const { draft, problems, edit } = editor;
  const control = (name: SettingName) => ({
    label: t.connect.settings.names[name],
    value: draft[name],
    error: capitalize(problems[name]),
    onChange: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
  });
  const protection = draft.botProtection;
  const service = useServiceTexts(draft.locale || 'en');
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div className={own.fields}>
      <Title order={2} size="h4">
        {t.connect.settings.texts}
      </Title>
      <TextInput {...control('name')} description={t.connect.settings.nameNote} placeholder={app.sourceAppId} />
      <TextInput {...control('title')} description={t.connect.settings.titleNote} />
      <Textarea {...control('description')} description={t.connect.settings.descriptionNote} rows={3} />
      <TextInput {...control('submitLabel')} placeholder={String(service.send)} />
      <Textarea {...control('thanks')} description={t.connect.settings.thanksNote} rows={3} />
      <TextInput
        {...control('next')}
        description={t.connect.settings.nextNote}
        placeholder="https://www.example.com/thanks"
        inputMode="url"
        {...AS_TYPED}
      />
      <TextInput {...control('locale')} description={t.connect.settings.localeNote} placeholder="en" {...AS_TYPED} />
      <TranslatedTexts editor={editor} tag={tag} onTag={onTag} />
      <PageTitles editor={editor} fields={fields} tag={tag} />
      <Checkbox
        label={t.connect.settings.draftsKept}
        description={t.connect.settings.draftsNote}
        {...checkboxProps(draft.drafts === '', (isKept) => edit({ drafts: isKept ? '' : 'off' }))}
      />
      <Title order={2} size="h4" mt="md">
        {t.connect.settings.rules}
      </Title>
      <NativeSelect
        {...control('botProtection')}
        description={
          isProvider(protection) ? t.connect.settings.providerNote : t.connect.settings.protectionNotes[protection]
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data={[
          ...OWN_PROTECTIONS.map((value) => ({ value, label: t.connect.settings.protections[value] })),
          ...CAPTCHA_PROVIDERS.map((value) => ({ value, label: CAPTCHA_WIDGETS[value].name })),
        ]}
        onChange={(event) => {
          const chosen = [...OWN_PROTECTIONS, ...CAPTCHA_PROVIDERS].find(
            (value) => value === event.currentTarget.value,
          );
          if (chosen) edit({ botProtection: chosen });
        }}
      />
      {isProvider(protection) && <CaptchaFields editor={editor} hasSecret={editor.providerWithSecret === protection} />}
      <TextInput {...control('closesAt')} type="datetime-local" description={t.connect.settings.closesAtNote(zone)} />
      <TextInput
        {...control('maxRecords')}
        description={t.connect.settings.maxRecordsNote}
        placeholder={t.connect.settings.noLimit}
        inputMode="numeric"
      />
      <KnownPeopleField scope={app} editor={editor} />
      <TextInput
        {...control('submitPerMinute')}
        description={t.connect.settings.submitPerMinuteNote}
        placeholder={t.connect.settings.serviceLimit}
        inputMode="numeric"
      />
      <TextInput
        {...control('timeZone')}
        description={t.connect.settings.timeZoneNote}
        placeholder={zone}
        list="time-zones"
        {...AS_TYPED}
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <EmailFields app={app} editor={editor} tag={tag} />
    </div>
  );
}
