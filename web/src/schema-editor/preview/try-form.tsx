import { Alert, Text } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ServiceText } from '#src/core/fields/base/kind.ts';
import { hasSteps } from '#src/features/display/form-steps.ts';
import { withPreset } from '#src/features/display/theme.ts';
import { type Catalogue, type Code, fillText, template } from '#src/platform/languages/catalogue.ts';
import { type Text as FormText, PLAIN_NUMBERS } from '#src/platform/languages/texts.ts';
import { problemsIn } from '../../../embed/checks.ts';
import { toDom } from '../../../embed/dom.ts';
import { build, takeOver } from '../../../embed/form.ts';
import { clearProblems, describeWithout, type Problem, showProblems } from '../../../embed/problems.ts';
import type { Definition } from '../../../embed/service.ts';
import { start } from '../../../embed/steps.ts';
import { imagesOf } from '../../connect/settings/rendered-form.ts';
import { type SettingsDraft, textsIn, themeIn, titlesIn } from '../../connect/settings/settings-draft.ts';
import type { View } from '../../connect/settings/view.tsx';
import { directionOf, useServiceTexts } from '../../languages/languages.ts';
import { t } from '../../texts/texts.ts';
import { surfaceStyles, useFormSheet } from '../canvas/canvas-sheet.ts';
import { compileSchema, type FieldDefinition, formControls, publicFields, valueFromForm } from '../draft/rules.ts';
import classes from './try-form.module.css';

interface TryFormProps {
  name: string;
  schema: { rejectUnknown: boolean; fields: FieldDefinition[] };
  settings: SettingsDraft;
  view: View;
  /** Whether invalid fields are missing from `schema`. */
  isPartial: boolean;
}

/** What the form would send, and how many problems the service would find. */
interface Verdict {
  data: Record<string, unknown>;
  problems: number;
}

/**
 * The form as visitors get it, to fill in: it is built and run by the code of embedded forms, and
 * checked by the rules of the service. Nothing is sent.
 */
export function TryForm({ name, schema, settings, view, isPartial }: TryFormProps) {
  const host = useRef<HTMLDivElement>(null);
  const [verdict, setVerdict] = useState<Verdict>();
  const lang = view.tag || settings.locale || 'en';
  const service = useServiceTexts(lang);
  const theme = withPreset(themeIn(settings));
  const scheme = theme.scheme === undefined || theme.scheme === 'auto' ? view.scheme : theme.scheme;
  const sheet = useFormSheet({ ...theme, scheme });
  const surfaces = surfaceStyles({ ...theme, scheme });
  const definition = useMemo(
    () => definitionOf(name, schema, settings, lang, service),
    [name, schema, settings, lang, service],
  );
  const validator = useMemo(() => compileSchema(schema), [schema]);
  const images = JSON.stringify(imagesOf(theme, scheme));

  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const old = root.querySelector('form');
    const focused = root.activeElement;
    const content = build(name, definition, '');
    root.adoptedStyleSheets = [sheet];
    root.replaceChildren(...toDom(JSON.parse(images)), content);
    const form = root.querySelector('form');
    if (!form) return;
    const steps =
      definition.steps && start(form, stepsData(definition), { clearProblems, describeWithout, showProblems });
    if (old) takeOver(form, old, focused, steps?.open);
    const check = (): void => {
      clearProblems(form);
      if (steps?.next()) return;
      const local = steps?.problems() ?? problemsIn(form, scriptTexts(service));
      const data = dataOf(form, schema.fields);
      const states = validator.states(data, true);
      const shown = states ? validator.shownData(data, states) : data;
      const found = validator
        .issues(shown, 'everyone', false, states)
        // Files are uploaded before a form is sent: here nothing is.
        .filter(({ path }) => !hasFiles(form, path))
        .map(
          ({ path, message, code, params }): Problem => ({
            path,
            message: isFormText(service, code) ? fillText(service, code, params ?? {}, PLAIN_NUMBERS) : message,
          }),
        );
      const problems = [...local, ...found.filter(({ path }) => !local.some((one) => keyIn(one.path) === keyIn(path)))];
      showProblems(form, problems, steps?.open);
      setVerdict({ data: shown, problems: problems.length });
    };
    const onSubmit = (event: Event): void => {
      event.preventDefault();
      check();
    };
    form.addEventListener('submit', onSubmit);
    return () => form.removeEventListener('submit', onSubmit);
  }, [name, definition, images, sheet, service, schema, validator]);

  return (
    <div className={classes.around} style={surfaces.page}>
      <div className={classes.sheet} style={surfaces.sheet} data-device={view.device}>
        <Text c="dimmed" size="sm" mb="md">
          {isPartial ? t.schemaEditor.invalidNotShown : t.schemaEditor.previewNote}
        </Text>
        <div ref={host} lang={lang} dir={directionOf(lang)} />
        <div aria-live="polite">
          {verdict && (
            <Alert color={verdict.problems === 0 ? 'green' : 'red'} p="xs" mt="md">
              {verdict.problems === 0 ? t.schemaEditor.accepted : t.schemaEditor.rejected(verdict.problems)}
              <pre className={classes.data}>{JSON.stringify(verdict.data, null, 2)}</pre>
            </Alert>
          )}
        </div>
      </div>
    </div>
  );
}

function definitionOf(
  name: string,
  { fields }: TryFormProps['schema'],
  settings: SettingsDraft,
  lang: string,
  service: Catalogue,
): Definition {
  const text: ServiceText = (code, params = {}) => fillText(service, code, params, PLAIN_NUMBERS);
  const { title, description, submitLabel } = textsIn(settings, lang);
  const controls = formControls(publicFields(fields), lang, text);
  return {
    title: title || settings.name || name,
    description: description || null,
    submitLabel: submitLabel || null,
    thanks: null,
    next: null,
    lang,
    dir: directionOf(lang),
    texts: service as unknown as Definition['texts'],
    closed: false,
    honeypot: false,
    proofOfWork: false,
    fields: controls,
    pages: titlesIn(settings, lang).map(({ page, title: of, description: about }) => ({
      page,
      title: of,
      ...(about !== undefined && { description: about }),
    })),
    ...(hasSteps(controls) && { steps: scriptTexts(service) }),
  };
}

/** The texts for the script of a form. */
const scriptTexts = (service: Catalogue): Record<string, FormText> =>
  Object.fromEntries((Object.keys(service) as Code[]).map((code) => [code, template(service, code)]));

const isFormText = (service: Catalogue, code: string | undefined): code is Code =>
  code !== undefined && Object.hasOwn(service, code);

const stepsData = ({ fields, pages, steps = {} }: Definition) => ({ fields, pages, texts: steps });

/** The key of the field of a path such as `data.age`, or of the name of a control. */
const keyIn = (path: string): string | undefined => /^data[.[](\w+)/.exec(path)?.[1];

/**
 * The data that the form would submit. A text without a value stays, so that the rules refuse it.
 */
function dataOf(form: HTMLFormElement, fields: readonly FieldDefinition[]): Record<string, unknown> {
  const sent = new FormData(form);
  const entries = publicFields(fields).flatMap((field): [string, unknown][] => {
    const name = `data[${field.key}]`;
    const texts = [...sent.getAll(name), ...sent.getAll(`${name}[]`)].filter((one) => typeof one === 'string');
    if (texts.length === 0) return [];
    const converted = valueFromForm(field, texts);
    return converted ? [[field.key, 'value' in converted ? converted.value : texts.at(-1)]] : [];
  });
  return Object.fromEntries(entries);
}

function hasFiles(form: HTMLFormElement, path: string): boolean {
  const input = form.querySelector<HTMLInputElement>(`[type=file][name="data[${keyIn(path)}]"]`);
  return (input?.files?.length ?? 0) > 0;
}
