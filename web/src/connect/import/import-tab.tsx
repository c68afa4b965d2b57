import { Alert, NativeSelect, Text, Textarea, Title } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import card from '../../components/card.module.css';
import { count } from '../../components/count.ts';
import classes from '../connect-page.module.css';
import type { ConnectedApp } from '../queries.ts';
import own from './import.module.css';
import { ImportResult } from './import-result.tsx';
import { type ParsedForm, parseForms } from './parse-form.ts';
import { proposeFields } from './proposal.ts';

const MAX_LENGTH = 500_000;
const EXAMPLE = `<form action="https://formspree.io/f/…" method="post">
  <label>Your email <input type="email" name="email" required></label>
  <label>Message <textarea name="message"></textarea></label>
  <button>Send</button>
</form>`;

/** Reads the HTML of a form and shows the changes that send it to this app. */
export default function ImportTab({ app }: { app: ConnectedApp }) {
  const [html, setHtml] = useState('');
  const [chosen, setChosen] = useState(0);
  const text = useDeferredValue(html);
  const forms = useMemo(() => parse(text), [text]);
  const form = forms?.[chosen] ?? forms?.[0];
  const proposal = useMemo(
    () => form && proposeFields(form, app.schema, app.stored.settings),
    [form, app.schema, app.stored.settings],
  );
  return (
    <div className={`${card.stack} ${classes.links}`}>
      <section className={card.card} aria-labelledby="import-html">
        <div className={card.section}>
          <Title order={2} size="h4" id="import-html">
            Import a form
          </Title>
          <Textarea
            label="HTML of your form"
            description="Forms for Formspree, Basin, Netlify, Web3Forms and your own work. The HTML stays in your browser."
            placeholder={EXAMPLE}
            classNames={{ input: own.html ?? '' }}
            rows={8}
            maxLength={MAX_LENGTH}
            spellCheck={false}
            autoCapitalize="none"
            value={html}
            onChange={(event) => {
              setHtml(event.currentTarget.value);
              setChosen(0);
            }}
          />
          {forms && forms.length > 1 && (
            <NativeSelect
              label={`The text has ${count(forms.length, 'form')}`}
              value={String(chosen)}
              data={forms.map((one, index) => ({ value: String(index), label: nameOf(one, index) }))}
              onChange={(event) => setChosen(Number(event.currentTarget.value))}
            />
          )}
          <div aria-live="polite">
            {text.trim() === '' && (
              <Text size="sm" c="dimmed">
                In your browser, open your page, view its source, and copy everything from &lt;form to &lt;/form&gt;.
              </Text>
            )}
            {text.trim() !== '' && !form && (
              <Alert color="yellow" variant="light" title="No form was found">
                The text has no form fields. Copy everything from &lt;form to &lt;/form&gt;.
              </Alert>
            )}
          </div>
        </div>
      </section>
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

function nameOf({ attributes, controls }: ParsedForm, index: number): string {
  const name = attributes.id || attributes.name || `Form ${index + 1}`;
  return `${name} (${count(controls.length, 'control')})`;
}
