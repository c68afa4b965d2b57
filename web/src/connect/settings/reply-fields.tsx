import { Code, Fieldset, NativeSelect, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { FieldDefinition } from '#src/core/fields/definition.ts';
import { addressText, fillReply, replyValue } from '#src/features/notifications/reply-text.ts';
import { fillText } from '#src/platform/languages/catalogue.ts';
import { PLAIN_NUMBERS } from '#src/platform/languages/texts.ts';
import type { Field } from '../../api/endpoints.ts';
import { directionOf, languageName, useServiceTexts } from '../../languages/languages.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { publicFields, sampleData } from '../../schema-editor/draft/rules.ts';
import { t } from '../../texts/texts.ts';
import own from './settings.module.css';
import { ownIn, replyTextsIn, textsIn, translatedTo, withTranslation } from './settings-draft.ts';
import { LanguageChoice } from './translated-texts.tsx';
import type { SettingsEditor } from './use-settings.ts';

/** The texts that have translations, and the names of their inputs. */
const TEXTS = [
  { name: 'subject', label: 'replySubject' },
  { name: 'text', label: 'replyText' },
] as const;
const TIMES = ['', 'created', 'each'] as const;

/** The placeholder of a link to the entry of the person. */
const ENTRY_LINK = 'entryLink';

interface ReplyFieldsProps {
  editor: SettingsEditor;
  sourceAppId: string;
  fields: readonly Field[];
  /** Whether the service sends no email. */
  isDisabled: boolean;
}

/** The inputs of the reply to a submission, and the email as a person receives it. */
export function ReplyFields({ editor, sourceAppId, fields, isDisabled }: ReplyFieldsProps) {
  const { draft, problems, edit } = editor;
  const [chosen, setChosen] = useState('');
  const tags = translatedTo(draft);
  const tag = tags.includes(chosen) ? chosen : '';
  const names = ['email', ...publicFields(fields).map(({ key }) => key), ...(ownIn(draft) ? [ENTRY_LINK] : [])];
  return (
    <>
      <NativeSelect
        label={t.connect.settings.names.replyWhen}
        description={t.connect.settings.replyNote}
        value={draft.replyWhen}
        disabled={isDisabled && draft.replyWhen === ''}
        error={capitalize(problems.replyWhen)}
        data={TIMES.map((value) => ({ value, label: t.connect.settings.replyTimes[value || 'never'] }))}
        onChange={(event) => {
          const chosen = TIMES.find((value) => value === event.currentTarget.value);
          if (chosen !== undefined) edit({ replyWhen: chosen });
        }}
      />
      {draft.replyWhen !== '' && (
        <>
          <TextInput
            label={t.connect.settings.names.replySubject}
            value={draft.replySubject}
            error={capitalize(problems.replySubject)}
            onChange={(event) => edit({ replySubject: event.currentTarget.value })}
          />
          <Textarea
            label={t.connect.settings.names.replyText}
            description={t.connect.settings.replyTextNote}
            autosize
            minRows={4}
            maxRows={16}
            value={draft.replyText}
            error={capitalize(problems.replyText)}
            onChange={(event) => edit({ replyText: event.currentTarget.value })}
          />
          <Text c="dimmed" size="sm">
            {t.connect.settings.placeholders}{' '}
            {names.map((name) => (
              <Code key={name} mr={4}>{`{${name}}`}</Code>
            ))}
          </Text>
          <LanguageChoice tags={tags} value={tag} onChange={setChosen} />
          {tag !== '' && <Translation editor={editor} tag={tag} />}
          {problems.replyTexts && (
            <Text c="var(--mantine-color-error)" role="alert">
              {capitalize(problems.replyTexts)}
            </Text>
          )}
          <Preview editor={editor} sourceAppId={sourceAppId} fields={fields} tag={tag} />
        </>
      )}
    </>
  );
}

function Translation({ editor, tag }: { editor: SettingsEditor; tag: string }) {
  const { draft, edit } = editor;
  const texts = JSON.parse(draft.replyTexts || '{}')[tag];
  return (
    <Fieldset legend={t.connect.settings.textIn(t.connect.settings.names.replyTexts, languageName(tag))}>
      {TEXTS.map(({ name, label }) => (
        <Textarea
          key={name}
          label={t.connect.settings.names[label]}
          autosize
          minRows={1}
          maxRows={16}
          lang={tag}
          dir={directionOf(tag)}
          value={texts?.[name] ?? ''}
          onChange={(event) => {
            edit({ replyTexts: withTranslation(draft.replyTexts, tag, name, event.currentTarget.value) });
          }}
        />
      ))}
    </Fieldset>
  );
}

function Preview({ editor, sourceAppId, fields, tag }: Omit<ReplyFieldsProps, 'isDisabled'> & { tag: string }) {
  const { draft } = editor;
  const lang = tag || draft.locale || 'en';
  const service = useServiceTexts(lang);
  const { subject, text } = replyTextsIn(draft, lang);
  const isConfirmed = draft.doubleOptIn === 'on';
  const to = { email: 'ada@example.com', isConfirmed, tag: lang, dateTime: (at: Date) => at.toLocaleString(lang) };
  const paragraphs = fillReply(text, (name) => {
    if (name === 'email') return addressText(to);
    const field = fields.find(({ key }) => key === name) as FieldDefinition | undefined;
    if (!field && name === ENTRY_LINK) return ownIn(draft) && `${location.origin}/f/${sourceAppId}/entry/…`;
    return field && replyValue(field, sampleData({ fields: [field] })[name], to);
  });
  const title = textsIn(draft, lang).title || sourceAppId;
  return (
    <section className={own.email} aria-label={t.connect.settings.replyPreview}>
      <Text c="dimmed" size="sm">
        {t.connect.settings.replyPreview}
      </Text>
      <div lang={lang} dir={directionOf(lang)}>
        <Title order={3} size="h5">
          {subject}
        </Title>
        {paragraphs.map((paragraph, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs have no identity
          <p key={index}>{paragraph}</p>
        ))}
        <p>{fillText(service, 'mailReason', { title }, PLAIN_NUMBERS)}</p>
      </div>
    </section>
  );
}
