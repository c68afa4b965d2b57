import { Alert, Badge, Code, Group, Table, Text, Title } from '@mantine/core';
import code from '../../components/content/code-panel.module.css';
import { CopyButton } from '../../components/content/copy-button.tsx';
import { fieldName } from '../../components/form/labels.ts';
import card from '../../components/page/card.module.css';
import { Section } from '../../components/page/section.tsx';
import { KIND_NAMES, optionName, valueName } from '../../schema-editor/draft/field-texts.ts';
import { type FieldOption, getKind } from '../../schema-editor/draft/rules.ts';
import { t } from '../../texts/texts.ts';
import { captchaHtml } from '../captcha.ts';
import type { ConnectedApp } from '../queries.ts';
import classes from '../share-page.module.css';
import { startTag } from '../snippets/escape.ts';
import { onlyHere } from '../snippets/obstacles.ts';
import { submitUrl } from '../urls.ts';
import { correctedHtml, type Part } from './corrected-html.ts';
import own from './import.module.css';
import type { ParsedForm } from './parse-form.ts';
import type { FormProposal, ImportedField, NamedNote } from './proposal.ts';
import { TakeOver } from './take-over.tsx';

interface ImportResultProps {
  app: ConnectedApp;
  /** The text that contains the form. */
  html: string;
  form: ParsedForm;
  proposal: FormProposal;
}

/** The required changes of the form, its fields, and the schema. */
export function ImportResult({ app, html, form, proposal }: ImportResultProps) {
  const { service, fields, refused, others } = proposal;
  const action = submitUrl(app.sourceAppId);
  const captcha = captchaHtml(app.stored.settings);
  const hasFiles = form.controls.some(({ type }) => type === 'file');
  const start = startTag('form', { action, method: 'post', enctype: hasFiles ? 'multipart/form-data' : undefined });
  const isSentHere = form.attributes.action === action && form.attributes.method?.toLowerCase() === 'post';
  return (
    <>
      <Section id="import-changes" title={t.connect.import.changes}>
        {!isSentHere && (
          <div>
            <Text mb={6}>
              {service && `${t.connect.import.formFor(service)} `}
              {t.connect.import.beginWith}
            </Text>
            <div className={own.line}>
              <code className="breaks">{start}</code>
              <CopyButton text={start} />
            </div>
            {onlyHere(window.location.origin).map((note) => (
              <Alert key={note} color="yellow" mt={6} p="xs">
                {note}
              </Alert>
            ))}
          </div>
        )}
        {refused.length > 0 && <Notes title={t.connect.import.refused} notes={refused} tone="no" />}
        {refused.length === 0 && <Text>{t.connect.import.nothingRefused}</Text>}
        {others.length > 0 && <Notes title={t.connect.import.others} notes={others} tone="info" />}
      </Section>
      <CorrectedForm parts={correctedHtml(html, form, proposal, { action, schema: app.schema, captcha })} />
      <Section id="import-fields" title={t.connect.import.fields}>
        {fields.length === 0 ? <Text c="dimmed">{t.connect.import.noFields}</Text> : <Fields fields={fields} />}
        <TakeOver app={app} fields={fields} />
      </Section>
    </>
  );
}

/** The text of the form with the changes in it. */
function CorrectedForm({ parts }: { parts: readonly Part[] }) {
  if (parts.every(({ change }) => change === undefined)) return null;
  const result = parts.map(({ text, change }) => (change === 'removed' ? '' : text)).join('');
  return (
    <section className={card.card} aria-labelledby="import-corrected">
      <div className={card.section}>
        <Group justify="space-between">
          <Title order={2} size="h4" id="import-corrected">
            {t.connect.import.corrected}
          </Title>
          <CopyButton text={result} />
        </Group>
        <Text>
          {t.connect.import.marked(
            <ins className={own.added}>{t.connect.import.added}</ins>,
            <del className={own.removed}>{t.connect.import.removed}</del>,
          )}
        </Text>
        <Code block tabIndex={0} mah={420} className={code.code ?? ''} aria-label={t.connect.import.correctedHtml}>
          {parts.map(({ text, change }, index) => {
            const shared = { key: index, children: text };
            if (change === 'added') return <ins {...shared} key={shared.key} className={own.added} />;
            if (change === 'removed') return <del {...shared} key={shared.key} className={own.removed} />;
            return text;
          })}
        </Code>
      </div>
    </section>
  );
}

function Notes({ title, notes, tone }: { title: string; notes: readonly NamedNote[]; tone: string }) {
  return (
    <div>
      <Text fw={600} mb={6}>
        {title}
      </Text>
      <ul className={own.notes} data-tone={tone}>
        {notes.map(({ name, text }) => (
          <li key={`${name} ${text}`}>
            <code className="breaks">{name}</code> <span className="breaks">{text}.</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const COLORS = { new: 'indigo', exists: 'gray', differs: 'yellow' };

function Fields({ fields }: { fields: readonly ImportedField[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={own.scroll} tabIndex={0} aria-label={t.connect.import.table}>
      <Table verticalSpacing="xs" horizontalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.connect.import.label}</Table.Th>
            <Table.Th>{t.connect.import.key}</Table.Th>
            <Table.Th>{t.connect.import.type}</Table.Th>
            <Table.Th>{t.connect.import.schema}</Table.Th>
            <Table.Th>{t.connect.import.details}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map(({ definition, sentAs, notes, state }) => (
            <Table.Tr key={sentAs}>
              <Table.Td>
                {fieldName(definition)}
                {definition.required && ' *'}
              </Table.Td>
              <Table.Td>
                <code>{definition.key}</code>
              </Table.Td>
              <Table.Td>{KIND_NAMES[definition.kind]}</Table.Td>
              <Table.Td>
                <Badge color={COLORS[state]}>{t.connect.import.states[state]}</Badge>
              </Table.Td>
              <Table.Td>
                {details(definition)}
                {notes.map((note) => (
                  <div key={note} className={classes.detail}>
                    {note}.
                  </div>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** The rules and form options of a field, for example `Max length 80 · Autofill name`. */
function details(definition: ImportedField['definition']): string {
  const { options, formOptions } = getKind(definition.kind);
  const given: Record<string, unknown> = { ...definition };
  const labels = isRecord(given.enumLabels) ? given.enumLabels : {};
  const parts = Object.entries<FieldOption>({ ...options, ...formOptions }).flatMap(([name, { values = [] }]) => {
    const value = given[name];
    if (value === undefined || name === 'enumLabels') return [];
    if (value === true) return [optionName(name)];
    const shown = [value]
      .flat()
      .map((one) => labels[String(one)] ?? (values.includes(String(one)) ? valueName(String(one)) : String(one)));
    return [`${optionName(name)}: ${shortened(shown.join(', '))}`];
  });
  return [...(definition.required ? [t.connect.import.required] : []), ...parts].join(' · ');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
