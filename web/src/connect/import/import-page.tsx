import { Alert, NativeSelect, Text, Textarea } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { AS_TYPED } from '../../components/form/input.ts';
import card from '../../components/page/card.module.css';
import { Section } from '../../components/page/section.tsx';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import { ConnectedPage } from '../connected-page.tsx';
import type { ConnectedApp } from '../queries.ts';
import classes from '../share-page.module.css';
import own from './import.module.css';
import { ImportResult } from './import-result.tsx';
import { type ParsedForm, parseForms } from './parse-form.ts';
import { emailOf, proposeFields } from './proposal.ts';

const MAX_LENGTH = 500_000;

/** Reads the HTML of a form and shows the changes that send it to an app. */
export default function ImportFormPage({ scope }: { scope: Scope }) {
  return (
    <ConnectedPage scope={scope} title={t.connect.import.page}>
      {(app) => <ImportForm app={app} />}
    </ConnectedPage>
  );
}

function ImportForm({ app }: { app: ConnectedApp }) {
  const [html, setHtml] = useState('');
  const [selected, setSelected] = useState<number>();
  const text = useDeferredValue(html);
  const forms = useMemo(() => parse(text), [text]);
  const chosen = selected ?? mainForm(forms);
  const form = forms?.[chosen];
  const proposal = useMemo(
    () => form && proposeFields(form, app.schema, app.stored.settings),
    [form, app.schema, app.stored.settings],
  );
  return (
    <div className={`${card.stack} ${classes.links}`}>
      <Section id="import-html" title={t.connect.import.title}>
        <Textarea
          label={t.connect.import.html}
          description={t.connect.import.htmlNote}
          placeholder={t.connect.import.htmlExample}
          classNames={{ input: own.html ?? '' }}
          rows={8}
          maxLength={MAX_LENGTH}
          {...AS_TYPED}
          value={html}
          onChange={(event) => {
            setHtml(event.currentTarget.value);
            setSelected(undefined);
          }}
        />
        {forms && forms.length > 1 && (
          <NativeSelect
            label={t.connect.import.forms(forms.length)}
            value={String(chosen)}
            data={forms.map((one, index) => ({ value: String(index), label: nameOf(one, index) }))}
            onChange={(event) => setSelected(Number(event.currentTarget.value))}
          />
        )}
        <div aria-live="polite">
          {text.trim() === '' && <Text c="dimmed">{t.connect.import.howToCopy}</Text>}
          {text.trim() !== '' && !form && (
            <Alert color="yellow" title={t.connect.import.noForm}>
              {t.connect.import.noFormNote}
            </Alert>
          )}
        </div>
      </Section>
      {form && proposal && <ImportResult app={app} html={text} form={form} proposal={proposal} />}
    </div>
  );
}

/** Undefined when the text cannot be parsed, for example because it is nested too deep. */
function parse(text: string): ParsedForm[] | undefined {
  try {
    return parseForms(text);
  } catch {
    return undefined;
  }
}

/** The form that most likely collects people: a page also has forms such as that of its search. */
function mainForm(forms: readonly ParsedForm[] = []): number {
  return Math.max(
    forms.findIndex((form) => emailOf(form) !== undefined),
    0,
  );
}

function nameOf({ attributes, controls }: ParsedForm, index: number): string {
  const name = attributes.id || attributes.name || t.connect.import.unnamedForm(index + 1);
  return t.connect.import.form(name, controls.length);
}
