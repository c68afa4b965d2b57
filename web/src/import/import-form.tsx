import { Alert, Button, Group, NativeSelect, Progress, Switch, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { fileNameSetting } from '#src/features/imports/date-format.ts';
import { issuesText } from '../api/call.ts';
import type { Field, ImportSettings } from '../api/endpoints.ts';
import { useUnsaved } from '../drafts/unsaved.ts';
import { useAbilities } from '../session/abilities.tsx';
import { and } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { appPath, type Scope } from '../users/scope.ts';
import classes from './import-page.module.css';
import { dateFormatOf, decimalOf } from './proposals.ts';
import { useStartImport } from './queries.ts';
import type { FileHead } from './read-file.ts';
import { OTHER, suggestMap } from './suggest.ts';

const MODES = choicesOf(t.imports.modes);
const ARRAYS = choicesOf(t.imports.arrays);
const INVALID = choicesOf(t.imports.invalid);
const DECIMALS = [
  { value: '.', label: '1.5' },
  { value: ',', label: '1,5' },
];

interface Options {
  mode: string;
  arrays: string;
  invalid: string;
  decimal: string;
  dateFormat: string;
  timeZone: string;
}
const DEFAULTS: Options = {
  mode: 'upsert',
  arrays: 'append',
  invalid: 'skip',
  decimal: '.',
  dateFormat: '',
  timeZone: '',
};

/** The columns of a chosen file and how it is imported. */
export function ImportForm(props: {
  scope: Scope;
  file: File;
  head: FileHead;
  fields: readonly Field[];
  /** Whether the schema allows keys of no field. */
  hasOthers: boolean;
  /** Whether invalid values are left out. */
  omits: boolean;
  onOmits: (omits: boolean) => void;
  onStarted: (id: string) => void;
}) {
  const { scope, file, head, fields, hasOthers, omits, onOmits, onStarted } = props;
  /** The path of each column; empty: it is left out. */
  const [paths, setPaths] = useState(() =>
    suggestMap(
      head.columns.map(({ name }) => name),
      fields,
      hasOthers,
    ),
  );
  const [chosen, setChosen] = useState<Partial<Options>>({});
  const valuesOf = (kind: Field['kind']): string[] =>
    head.columns.flatMap(({ values }, index) =>
      fields.some((field) => field.kind === kind && paths[index] === `data.${field.key}`) ? values : [],
    );
  const dates = dateFormatOf(valuesOf('date'));
  const proposed = { decimal: decimalOf(valuesOf('number')), dateFormat: dates.format };
  const options: Options = { ...DEFAULTS, ...proposed, ...chosen };
  /** Explains the value of a setting that the reader has not set. */
  const noteOf = (name: keyof typeof proposed): string | undefined =>
    chosen[name] === undefined && proposed[name] !== DEFAULTS[name] ? t.imports.proposed : undefined;
  const can = useAbilities();
  const [sent, setSent] = useState(0);
  const start = useStartImport(scope, setSent);
  const [isChanged, setChanged] = useState(false);
  useUnsaved(() => isChanged);
  const set = (name: keyof typeof options) => (event: { currentTarget: { value: string } }) => {
    setChosen({ ...chosen, [name]: event.currentTarget.value });
    setChanged(true);
  };
  const mapped = head.columns.flatMap(({ key }, index): [string, string][] =>
    paths[index] ? [[key, paths[index]]] : [],
  );
  const leftOut = head.isMapped ? [] : head.columns.filter((_, index) => !paths[index]).map(({ label }) => label);
  const hasEmail = head.isMapped || mapped.some(([, path]) => path === 'email');

  function submit(dryRun: boolean): void {
    const { dateFormat, timeZone, ...rest } = options;
    const settings = {
      ...rest,
      format: head.format,
      dryRun,
      ...(omits && { invalidValues: 'omit' }),
      ...fileNameSetting(file.name),
      ...(!head.isMapped && { map: Object.fromEntries(mapped) }),
      ...(dateFormat.trim() !== '' && { dateFormat: dateFormat.trim() }),
      ...(timeZone.trim() !== '' && { timeZone: timeZone.trim() }),
    } as ImportSettings;
    setSent(0);
    const onSuccess = (id: string): void => {
      if (!dryRun) setChanged(false);
      onStarted(id);
    };
    start.mutate({ file, settings }, { onSuccess });
  }

  return (
    <>
      {head.isMapped ? (
        <Alert mt="md">{t.imports.isMapped}</Alert>
      ) : (
        <MapTable
          head={head}
          fields={fields}
          hasOthers={hasOthers}
          paths={paths}
          onChange={(next) => {
            setPaths(next);
            setChanged(true);
          }}
        />
      )}
      {leftOut.length > 0 && (
        <Alert color="yellow" mt="md" className="breaks">
          {t.imports.leftOut(leftOut.length, and(leftOut))}{' '}
          {can.schema
            ? t.imports.addFields(<Link href={appPath(scope)}>{t.apps.pages.schema}</Link>)
            : t.imports.askForFields}
        </Alert>
      )}
      <div className={classes.options}>
        <NativeSelect label={t.imports.users} data={MODES} value={options.mode} onChange={set('mode')} />
        <NativeSelect label={t.imports.lists} data={ARRAYS} value={options.arrays} onChange={set('arrays')} />
        <NativeSelect label={t.imports.invalidLines} data={INVALID} value={options.invalid} onChange={set('invalid')} />
        <NativeSelect
          label={t.imports.numbers}
          description={noteOf('decimal')}
          inputWrapperOrder={['label', 'input', 'description']}
          data={DECIMALS}
          value={options.decimal}
          onChange={set('decimal')}
        />
        <TextInput
          label={t.imports.dateFormat}
          placeholder="ISO 8601"
          description={noteOf('dateFormat') ?? t.imports.dateFormatNote}
          inputWrapperOrder={['label', 'input', 'description']}
          value={options.dateFormat}
          onChange={set('dateFormat')}
        />
        <TextInput
          label={t.imports.timeZone}
          placeholder={t.imports.timeZoneOfApp}
          description={t.imports.timeZoneNote}
          inputWrapperOrder={['label', 'input', 'description']}
          value={options.timeZone}
          onChange={set('timeZone')}
        />
        <Switch
          label={t.imports.omitValues}
          description={t.imports.omitValuesNote}
          checked={omits}
          onChange={(event) => onOmits(event.currentTarget.checked)}
        />
      </div>
      {dates.choices.length > 0 && options.dateFormat === '' && (
        <Alert color="yellow" mt="md" title={t.imports.twoDateFormats}>
          <Group gap="xs">
            {dates.choices.map((format) => (
              <Button
                key={format}
                variant="default"
                size="xs"
                onClick={() => setChosen({ ...chosen, dateFormat: format })}
              >
                {t.imports.chooseFormat(format)}
              </Button>
            ))}
          </Group>
        </Alert>
      )}
      {start.isPending && (
        <>
          <Progress value={sent * 100} aria-label={t.imports.sent} mt="md" />
          <Text mt="xs" role="status">
            {t.imports.sending}
          </Text>
        </>
      )}
      {start.error && <Refusal error={start.error} />}
      <Group mt="md">
        <Button variant="default" disabled={!hasEmail} loading={start.isPending} onClick={() => submit(true)}>
          {t.imports.dryRun}
        </Button>
        <Button disabled={!hasEmail} loading={start.isPending} onClick={() => submit(false)}>
          {t.imports.start}
        </Button>
        {!hasEmail && <span className={classes.hint}>{t.imports.chooseEmail}</span>}
      </Group>
    </>
  );
}

function MapTable(props: {
  head: FileHead;
  fields: readonly Field[];
  hasOthers: boolean;
  paths: readonly string[];
  onChange: (paths: string[]) => void;
}) {
  const { head, fields, hasOthers, paths, onChange } = props;
  const targets = [
    { value: '', label: t.imports.leaveOut },
    { value: 'email', label: t.common.email },
    ...fields.map(({ key, label }) => ({ value: `data.${key}`, label: label || key })),
    ...(hasOthers ? [{ value: OTHER, label: t.imports.otherKeys }] : []),
  ];
  const taken = new Set(paths);
  return (
    <section className={classes.scroll} aria-label={t.imports.columns}>
      <Table mt="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t.imports.column}</Table.Th>
            <Table.Th scope="col">{t.imports.field}</Table.Th>
            <Table.Th scope="col" className={classes.examples ?? ''}>
              {t.imports.firstValues}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {head.columns.map(({ key, label, examples }, index) => (
            <Table.Tr key={key}>
              <Table.Td className="breaks">{label}</Table.Td>
              <Table.Td>
                <NativeSelect
                  aria-label={t.imports.fieldOf(label)}
                  value={paths[index] ?? ''}
                  data={targets.map((one) => ({
                    ...one,
                    disabled: one.value !== '' && one.value !== paths[index] && taken.has(one.value),
                  }))}
                  onChange={(event) => onChange(paths.with(index, event.currentTarget.value))}
                />
              </Table.Td>
              <Table.Td className={`${classes.examples} breaks`}>{examples.join(' · ').slice(0, 120)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Refusal({ error }: { error: Error }) {
  return (
    <Alert color="red" role="alert" mt="md" title={t.imports.notStarted}>
      {error.message}. {issuesText(error, nameOf)}
    </Alert>
  );
}

/** The label of a setting, or of the control of a column. */
function nameOf(path: string): string {
  const [setting = '', ...column] = path.split('.');
  if (setting === 'map' && column.length > 0) return t.imports.fieldOf(column.join('.'));
  const labels: Record<string, string> = {
    map: t.imports.columns,
    mode: t.imports.users,
    arrays: t.imports.lists,
    invalid: t.imports.invalidLines,
    invalidValues: t.imports.omitValues,
    decimal: t.imports.numbers,
    dateFormat: t.imports.dateFormat,
    timeZone: t.imports.timeZone,
  };
  return labels[setting] ?? path;
}

function choicesOf(labels: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}
