import { useEffect, useRef } from 'react';
import { withPreset } from '#src/features/display/theme.ts';
import type { Field } from '../../api/endpoints.ts';
import { directionOf, useServiceTexts } from '../../languages/languages.ts';
import { formMarkup, imagesOf, render, thanksMarkup } from './rendered-form.ts';
import own from './settings.module.css';
import { type SettingsDraft, textsIn, themeIn, titlesIn } from './settings-draft.ts';
import type { View } from './view.tsx';

interface FormPreviewProps {
  settings: SettingsDraft;
  sourceAppId: string;
  fields: readonly Field[];
  view: View;
  /** Whether it is the page after a submission. */
  isThanks: boolean;
}

/** The form or the page after it, as people see them. Built by the code of the hosted form. */
export function FormPreview({ settings: draft, sourceAppId, fields, view, isThanks }: FormPreviewProps) {
  const lang = view.tag || draft.locale || 'en';
  const service = useServiceTexts(lang);
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const settings = { ...draft, ...textsIn(draft, lang), pages: titlesIn(draft, lang) };
    const { scheme: ofApp = 'auto', ...theme } = withPreset(themeIn(draft));
    // An app with a scheme shows it to everybody.
    const scheme = ofApp === 'auto' ? view.scheme : ofApp;
    const form = { sourceAppId, fields, tag: lang, service };
    const markup = isThanks ? thanksMarkup(settings, form) : formMarkup(settings, form);
    render(host.current, [...imagesOf(theme, scheme), ...markup], { ...theme, scheme }, true);
  }, [draft, sourceAppId, fields, lang, service, isThanks, view.scheme]);
  return (
    // Inert: it shows the form, and nothing can be entered.
    <div ref={host} className={own[view.device]} lang={lang} dir={directionOf(lang)} inert data-preview />
  );
}
