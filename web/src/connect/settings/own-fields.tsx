import { Checkbox, Fieldset, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { withPreset } from '#src/features/display/theme.ts';
import type { Field } from '../../api/endpoints.ts';
import { checkboxProps } from '../../components/form/input.ts';
import { directionOf, useServiceTexts } from '../../languages/languages.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { publicFields } from '../../schema-editor/draft/rules.ts';
import { t } from '../../texts/texts.ts';
import { scopeParameter } from '../../users/scope.ts';
import { type ConnectedApp, mailStatusQuery } from '../queries.ts';
import { entryMarkup, imagesOf, render } from './rendered-form.ts';
import own from './settings.module.css';
import { type Own, ownIn, ownText, type SettingsDraft, textsIn, themeIn } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

const ALL: Own = { erase: true, export: true };

/** What people may do with their entry by a link in an email, and the page as they see it. */
export function OwnFields({ app, editor }: { app: ConnectedApp; editor: SettingsEditor }) {
  const { draft, problems, edit } = editor;
  const { data: status } = useQuery(mailStatusQuery(scopeParameter(app)));
  const texts = t.connect.settings.own;
  const allowed = ownIn(draft);
  const missing =
    status && !status.mail ? t.connect.settings.noMail : status?.links === false && t.connect.settings.noLinks;
  const fields = publicFields(app.schema.fields).filter(({ kind }) => kind !== 'array');
  const set = (part: Own | undefined): void => edit({ own: part ? ownText(part) : '' });
  return (
    <>
      <Title order={2} size="h4" mt="md">
        {texts.title}
      </Title>
      {missing && <Text c="dimmed">{missing}</Text>}
      <Checkbox
        label={t.connect.settings.names.own}
        description={texts.note}
        {...checkboxProps(allowed !== undefined, (isChecked) => set(isChecked ? ALL : undefined))}
        disabled={(status === undefined || Boolean(missing)) && !allowed}
        error={capitalize(problems.own)}
      />
      {allowed && (
        <>
          <Fieldset legend={texts.changes}>
            <Checkbox
              label={texts.allFields}
              description={texts.allFieldsNote}
              {...checkboxProps(allowed.fields === undefined, (isAll) => {
                const { fields: _, ...others } = allowed;
                set(isAll ? others : { ...others, fields: fields.map(({ key }) => key) });
              })}
            />
            {allowed.fields && <FieldChoices fields={fields} allowed={allowed} onChange={set} />}
          </Fieldset>
          <Checkbox
            label={texts.download}
            {...checkboxProps(allowed.export !== false, (isOn) => set({ ...allowed, export: isOn }))}
          />
          <Checkbox
            label={texts.erase}
            description={texts.eraseNote}
            {...checkboxProps(allowed.erase !== false, (isOn) => set({ ...allowed, erase: isOn }))}
          />
          <Preview draft={draft} app={app} allowed={allowed} />
        </>
      )}
    </>
  );
}

interface FieldChoicesProps {
  fields: readonly Field[];
  allowed: Own;
  onChange: (own: Own) => void;
}

function FieldChoices({ fields, allowed, onChange }: FieldChoicesProps) {
  const chosen = new Set(allowed.fields);
  return fields.map(({ key, label }) => (
    <Checkbox
      key={key}
      mt="xs"
      label={label || key}
      {...checkboxProps(chosen.has(key), (isOn) => {
        if (isOn) chosen.add(key);
        else chosen.delete(key);
        // Also keys that the schema does not have now: they were chosen.
        const others = [...chosen].filter((one) => fields.every((field) => field.key !== one));
        const known = fields.flatMap((field) => (chosen.has(field.key) ? [field.key] : []));
        onChange({ ...allowed, fields: [...known, ...others] });
      })}
    />
  ));
}

function Preview({ draft, app, allowed }: { draft: SettingsDraft; app: ConnectedApp; allowed: Own }) {
  const lang = draft.locale || 'en';
  const service = useServiceTexts(lang);
  const host = useRef<HTMLDivElement>(null);
  const { sourceAppId, schema } = app;
  useEffect(() => {
    if (!host.current) return;
    const settings = { ...draft, ...textsIn(draft, lang) };
    const { scheme = 'auto', ...theme } = withPreset(themeIn(draft));
    const form = { sourceAppId, fields: schema.fields, tag: lang, service };
    const content = [...imagesOf(theme, scheme), ...entryMarkup(settings, form, allowed)];
    render(host.current, content, { ...theme, scheme }, true);
  }, [draft, sourceAppId, schema, lang, service, allowed]);
  return (
    <section className={own.email} aria-label={t.connect.settings.own.preview}>
      <Text c="dimmed" size="sm">
        {t.connect.settings.own.preview}
      </Text>
      {/* Inert: it shows the page, and nothing can be entered. */}
      <div ref={host} lang={lang} dir={directionOf(lang)} inert data-preview />
    </section>
  );
}
