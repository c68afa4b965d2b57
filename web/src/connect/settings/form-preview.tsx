import { SegmentedControl, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { StepTitle } from '#src/features/display/form-steps.ts';
import { withPreset } from '#src/features/display/theme.ts';
import type { Field } from '../../api/endpoints.ts';
import { directionOf, forTag, useServiceTexts } from '../../languages/languages.ts';
import { t } from '../../texts/texts.ts';
import { formMarkup, imagesOf, render, thanksMarkup } from './rendered-form.ts';
import own from './settings.module.css';
import { pageTitlesIn, type SettingsDraft, textsIn, themeIn } from './settings-draft.ts';

interface FormPreviewProps {
  settings: SettingsDraft;
  sourceAppId: string;
  fields: readonly Field[];
  /** The language of the preview; empty: the one of the texts. */
  tag: string;
  /** Whether it is a whole page, on a device and in a scheme that the operator chooses. */
  hasDevices?: boolean;
}

/** The form and the page after it, as people see them. Built by the code of the hosted form. */
export function FormPreview({ settings: draft, sourceAppId, fields, tag, hasDevices = false }: FormPreviewProps) {
  const lang = tag || draft.locale || 'en';
  const service = useServiceTexts(lang);
  const [shown, setShown] = useState('form');
  const [device, setDevice] = useState<'desktop' | 'phone'>('desktop');
  const [visitor, setVisitor] = useState<'auto' | 'light' | 'dark'>('auto');
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const settings = { ...draft, ...textsIn(draft, lang), pages: titlesIn(draft, lang) };
    const { scheme: ofApp = 'auto', ...theme } = withPreset(themeIn(draft));
    // An app with a scheme shows it to everybody.
    const scheme = ofApp === 'auto' ? visitor : ofApp;
    const form = { sourceAppId, fields, tag: lang, service };
    const markup = shown === 'form' ? formMarkup(settings, form) : thanksMarkup(settings, form);
    render(host.current, [...imagesOf(theme, scheme), ...markup], { ...theme, scheme }, hasDevices);
  }, [draft, sourceAppId, fields, lang, service, shown, visitor, hasDevices]);
  return (
    <>
      <div className={own.previewTop}>
        <Title order={2} size="h4">
          {t.connect.settings.preview}
        </Title>
        <SegmentedControl
          aria-label={t.connect.settings.shownInPreview}
          size="xs"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'form', label: t.connect.settings.formShown },
            { value: 'thanks', label: t.connect.settings.thanksShown },
          ]}
        />
      </div>
      {hasDevices && (
        <div className={own.previewTop}>
          <SegmentedControl
            aria-label={t.connect.settings.shownDevice}
            size="xs"
            value={device}
            onChange={setDevice}
            data={(['desktop', 'phone'] as const).map((value) => ({
              value,
              label: t.connect.settings.devices[value],
            }))}
          />
          <SegmentedControl
            aria-label={t.connect.settings.visitorScheme}
            size="xs"
            value={visitor}
            onChange={setVisitor}
            data={(['auto', 'light', 'dark'] as const).map((value) => ({
              value,
              label: t.connect.settings.visitorSchemes[value],
            }))}
          />
        </div>
      )}
      {/* Inert: it shows the form, and nothing can be entered. */}
      <div
        ref={host}
        className={hasDevices ? own[device] : own.form}
        lang={lang}
        dir={directionOf(lang)}
        inert
        data-preview
      />
    </>
  );
}

/** The texts of pages in a language; a missing one is the original. */
function titlesIn(draft: SettingsDraft, tag: string): StepTitle[] {
  return pageTitlesIn(draft).map(({ page, title, titles, description, descriptions }) => ({
    page,
    title: forTag(titles, tag) || title,
    description: forTag(descriptions, tag) || description,
  }));
}
