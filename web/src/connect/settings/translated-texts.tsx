import { Fieldset, SegmentedControl, TagsInput, Text, Textarea } from '@mantine/core';
import { directionOf, languageName, SERVICE_LANGUAGES } from '../../languages/languages.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { t } from '../../texts/texts.ts';
import own from './settings.module.css';
import { languagesOf, TEXT_NAMES, translatedTo, withTranslation } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

interface TranslatedTextsProps {
  editor: SettingsEditor;
  /** The language that is shown; empty: the one of the texts. */
  tag: string;
  onTag: (tag: string) => void;
}

/** Edits the languages of a form, and its texts in another one beside the original. */
export function TranslatedTexts({ editor, tag, onTag }: TranslatedTextsProps) {
  const { draft, problems, edit } = editor;
  const tags = translatedTo(draft);
  return (
    <>
      <TagsInput
        label={t.connect.settings.names.languages}
        description={t.connect.settings.languagesNote}
        placeholder={draft.languages === '' ? 'de, fr, pt-BR' : ''}
        data={SERVICE_LANGUAGES}
        value={languagesOf(draft)}
        error={capitalize(problems.languages)}
        acceptValueOnBlur
        renderOption={({ option }) => `${languageName(option.value)} (${option.value})`}
        onChange={(next) => edit({ languages: next.join(', ') })}
      />
      {tags.length > 0 && (
        <Fieldset legend={t.connect.settings.names.texts}>
          <LanguageChoice tags={tags} value={tag} onChange={onTag} />
          {tag === '' ? (
            <Text c="dimmed" mt="xs">
              {t.connect.settings.chooseLanguage}
            </Text>
          ) : (
            <div className={own.beside}>
              {TEXT_NAMES.map((name) => (
                <Row key={name} name={name} editor={editor} tag={tag} />
              ))}
            </div>
          )}
          {problems.texts && (
            <Text c="var(--mantine-color-error)" role="alert">
              {capitalize(problems.texts)}
            </Text>
          )}
        </Fieldset>
      )}
    </>
  );
}

interface LanguageChoiceProps {
  tags: readonly string[];
  /** Empty: the language of the texts. */
  value: string;
  onChange: (tag: string) => void;
}

/** Chooses the language whose texts are edited. Absent for a form in one language. */
export function LanguageChoice({ tags, value, onChange }: LanguageChoiceProps) {
  if (tags.length === 0) return null;
  return (
    <SegmentedControl
      aria-label={t.connect.settings.shownLanguage}
      size="xs"
      value={value}
      onChange={onChange}
      data={[
        { value: '', label: t.connect.settings.original },
        ...tags.map((one) => ({ value: one, label: languageName(one) })),
      ]}
    />
  );
}

function Row({
  name,
  editor,
  tag,
}: Pick<TranslatedTextsProps, 'editor' | 'tag'> & { name: (typeof TEXT_NAMES)[number] }) {
  const { draft, edit } = editor;
  return (
    <>
      <div>
        <Text fw={500}>{t.connect.settings.names[name]}</Text>
        <Text c="dimmed" className={own.original ?? ''}>
          {draft[name] || t.connect.settings.serviceText}
        </Text>
      </div>
      <Textarea
        aria-label={t.connect.settings.textIn(t.connect.settings.names[name], languageName(tag))}
        autosize
        minRows={1}
        maxRows={6}
        lang={tag}
        dir={directionOf(tag)}
        value={JSON.parse(draft.texts || '{}')[tag]?.[name] ?? ''}
        onChange={(event) => edit({ texts: withTranslation(draft.texts, tag, name, event.currentTarget.value) })}
      />
    </>
  );
}
