import { Checkbox, Textarea, TextInput } from '@mantine/core';
import type { Field } from '../../api/endpoints.ts';
import { AS_TYPED, checkboxProps } from '../../components/form/input.ts';
import { useServiceTexts } from '../../languages/languages.ts';
import { t } from '../../texts/texts.ts';
import { PageTitles } from './page-titles.tsx';
import { controlOf } from './setting-control.ts';
import own from './settings.module.css';
import { TranslatedTexts } from './translated-texts.tsx';
import type { SettingsEditor } from './use-settings.ts';

interface TextFieldsProps {
  sourceAppId: string;
  editor: SettingsEditor;
  fields: readonly Field[];
  /** The language that is shown; empty: the one of the texts. */
  tag: string;
  onTag: (tag: string) => void;
}

/** The texts of the form and of the page after it, and their translations. */
export function TextFields({ sourceAppId, editor, fields, tag, onTag }: TextFieldsProps) {
  const { draft, edit } = editor;
  const control = controlOf(editor);
  const service = useServiceTexts(draft.locale || 'en');
  return (
    <div className={own.fields}>
      <TextInput {...control('name')} description={t.connect.settings.nameNote} placeholder={sourceAppId} />
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
    </div>
  );
}
