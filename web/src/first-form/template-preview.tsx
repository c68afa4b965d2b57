import { useEffect, useRef } from 'react';
import { withPreset } from '#src/features/display/theme.ts';
import { formMarkup, render } from '../connect/settings/rendered-form.ts';
import { useServiceTexts } from '../languages/languages.ts';
import { completeDefinition } from '../schema-editor/draft/rules.ts';
import { language } from '../texts/language.ts';
import classes from './new-form.module.css';
import type { Template } from './templates.ts';

/** A picture of the form of a template: the form itself, small and inert. */
export function TemplatePreview({ template }: { template: Template }) {
  const host = useRef<HTMLDivElement>(null);
  const service = useServiceTexts(language);
  useEffect(() => {
    if (!host.current) return;
    const { settings, schema, name } = template;
    const texts = {
      name,
      title: settings.title ?? '',
      description: settings.description ?? '',
      submitLabel: settings.submitLabel ?? '',
      pages: (settings.pages ?? []).map(({ page, title }) => ({ page, title })),
    };
    const fields = schema.fields.map(completeDefinition);
    const form = { sourceAppId: template.id, fields, tag: language, service };
    const { preset } = settings.theme ?? {};
    render(host.current, formMarkup(texts, form, true), withPreset(preset ? { preset } : {}), true);
  }, [template, service]);
  return (
    <div className={classes.picture} inert>
      <div ref={host} data-preview />
    </div>
  );
}
