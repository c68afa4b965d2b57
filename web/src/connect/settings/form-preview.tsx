import { SegmentedControl, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

import type { ServiceText } from '#src/core/fields/base/kind.ts';
import { type StepTitle, stepMarkup, stepsOf } from '#src/features/display/form-steps.ts';
import { marked } from '#src/features/display/marks.ts';
import { fieldMarkup, formFields, type Markup } from '#src/features/display/markup.ts';
import { imageMarkup, surfacesOf, type Theme, themeStyle, withPreset } from '#src/features/display/theme.ts';
import { type Catalogue, fillText } from '#src/platform/languages/catalogue.ts';
import { PLAIN_NUMBERS } from '#src/platform/languages/texts.ts';
import { toDom } from '../../../embed/dom.ts';
import fileStyles from '../../../embed/files.css?inline';
import formStyles from '../../../embed/form.css?inline';
import stepStyles from '../../../embed/steps.css?inline';
import type { Field } from '../../api/endpoints.ts';
import { directionOf, forTag, useServiceTexts } from '../../languages/languages.ts';
import { formControls, publicFields } from '../../schema-editor/draft/rules.ts';
import { t } from '../../texts/texts.ts';
import own from './settings.module.css';
import { pageTitlesIn, type SettingsDraft, textsIn, themeIn } from './settings-draft.ts';

const PREVIEW_STYLES = `
  h2 { margin: 0 0 0.5rem; font-size: 1.5rem; line-height: 1.2; overflow-wrap: anywhere; }
  .text { margin: 0 0 1.5rem; overflow-wrap: anywhere; white-space: pre-line; }
`;

/** The page around the form, as in page.css; it has the scheme of its element. */
function pageStyles(theme: Theme): string {
  const [light, dark] = [surfacesOf(theme, 'light'), surfacesOf(theme, 'dark')];
  const both = (name: 'page' | 'sheet' | 'text') => `light-dark(${light[name]}, ${dark[name]})`;
  return `
  :host { padding: clamp(0rem, 5%, 4rem) 0 !important; border-radius: 0 !important; background: ${both('page')} !important; }
  main { --pad: 1.75rem; box-sizing: border-box; max-width: 40rem; margin: 0 auto; padding: var(--pad); border-radius: 16px; overflow: clip; }
  main > .cover { width: calc(100% + 2 * var(--pad)); max-width: none; margin: calc(-1 * var(--pad)) calc(-1 * var(--pad)) 2rem; border-radius: 0; }
  main:not(#_) { background: ${both('sheet')}; color: ${both('text')}; }
`;
}

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
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const settings = { ...draft, ...textsIn(draft, lang), pages: titlesIn(draft, lang) };
    const { scheme = 'auto', ...theme } = withPreset(themeIn(draft));
    // An app with a scheme shows it to everybody.
    const style = themeStyle({ ...theme, scheme: scheme === 'auto' ? visitor : scheme });
    root.adoptedStyleSheets = [styleSheet((hasDevices ? pageStyles(theme) : '') + style)];
    const form = { sourceAppId, fields, tag: lang, service };
    const markup = shown === 'form' ? previewMarkup(settings, form) : thanksMarkup(settings, form);
    const content = [...imagesOf(theme, scheme === 'auto' ? visitor : scheme), ...markup];
    root.replaceChildren(...toDom(hasDevices ? [['main', {}, ...content]] : content));
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

/** Style sheets that a script constructs do not need `style-src 'unsafe-inline'`. */
function styleSheet(theme: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(formStyles + stepStyles + fileStyles + PREVIEW_STYLES + theme);
  return sheet;
}

type PreviewedSettings = Omit<SettingsDraft, 'pages'> & { pages: readonly StepTitle[] };

/** The texts of pages in a language; a missing one is the original. */
function titlesIn(draft: SettingsDraft, tag: string): StepTitle[] {
  return pageTitlesIn(draft).map(({ page, title, titles, description, descriptions }) => ({
    page,
    title: forTag(titles, tag) || title,
    description: forTag(descriptions, tag) || description,
  }));
}

interface PreviewedForm {
  sourceAppId: string;
  fields: readonly Field[];
  /** The language of the preview. */
  tag: string;
  /** The texts of the service in it. */
  service: Catalogue;
}

/** The elements of a form: its texts, fields and button. */
function previewMarkup(
  { name, title, description, submitLabel, pages }: PreviewedSettings,
  { sourceAppId, fields, tag, service }: PreviewedForm,
): Markup[] {
  const text: ServiceText = (code, params = {}) => fillText(service, code, params, PLAIN_NUMBERS);
  const all = formFields(formControls(publicFields(fields), tag, text), String(service.email));
  const steps = stepsOf(all, pages)?.map((step): Markup => {
    const [name, attributes, ...heading] = stepMarkup(step, true, 'h3');
    return [name, attributes, ...heading, ...step.fields.map(fieldMarkup)];
  });
  const controls = steps ?? all.map(fieldMarkup);
  const button: Markup = ['button', { type: 'button' }, submitLabel || String(service.send)];
  return [...texts(title || name || sourceAppId, description), ['div', { class: 'form' }, ...controls, button]];
}

/** The elements of the page after a submission. */
function thanksMarkup(
  { name, title, thanks, next, doubleOptIn, existing }: PreviewedSettings,
  { sourceAppId, service }: PreviewedForm,
): Markup[] {
  const text = next ? [t.connect.settings.sentTo(next)] : marked(thanks || String(service.thanks));
  const asks = doubleOptIn ? service.thanksConfirm : existing === 'confirm' && service.thanksKnown;
  const confirm: Markup[] = asks && !next ? [['p', {}, String(asks)]] : [];
  return [...texts(title || name || sourceAppId, ''), ['p', { class: 'note good' }, ...text], ...confirm];
}

function imagesOf(
  { cover, logo, logoDark: dark, logoAlt: alt = '' }: ReturnType<typeof themeIn>,
  scheme: Required<Theme>['scheme'],
): Markup[] {
  const images: Markup[] = [];
  if (cover) images.push(['img', { class: 'cover', src: cover, alt: '' }]);
  if (logo) images.push(imageMarkup({ class: 'logo', src: logo, alt, dark }, scheme));
  return images;
}

function texts(title: string, description: string): Markup[] {
  const heading: Markup = ['h2', {}, title];
  return description ? [heading, ['p', { class: 'text' }, ...marked(description)]] : [heading];
}
