import { Alert, Button, Group, NativeSelect, Progress, Switch, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { fileNameSetting } from '#src/features/imports/date-format.ts';
import { issuesText } from '../api/call.ts';
import type { Field, ImportSettings } from '../api/endpoints.ts';
import { loadLater } from '../components/page/load-later.tsx';
import { useUnsaved } from '../drafts/unsaved.ts';
import { useAbilities } from '../session/abilities.tsx';
import { and } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { TIME_ZONE } from '../users/queries.ts';
import { appPath, type Scope } from '../users/scope.ts';
import { type ColumnDraft, columnSettings } from './column-draft.ts';
import type { CreatedField, FreeColumn } from './create-fields.tsx';
import classes from './import-page.module.css';
import { MapTable } from './map-table.tsx';
import { proposeSettings } from './proposals.ts';
import { useStartImport } from './queries.ts';
import type { FileHead } from './read-file.ts';
import { suggestMap, withEmail } from './suggest.ts';

const MODES = choicesOf(t.imports.modes);
const ARRAYS = choicesOf(t.imports.arrays);
const INVALID = choicesOf(t.imports.invalid);
const DECIMALS = [
  { value: '.', label: '1.5' },
  { value: ',', label: '1,5' },
];

const create = loadLater(() => import('./create-fields.tsx').then(({ CreateFields }) => CreateFields));

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
    withEmail(
      suggestMap(
        head.columns.map(({ name }) => name),
        fields,
        hasOthers,
      ),
      head.columns,
    ),
  );
  const [chosen, setChosen] = useState<Partial<Options>>({});
  /** The settings of columns that the reader has set. */
  const [entered, setEntered] = useState<Readonly<Record<number, ColumnDraft>>>({});
  const [creating, setCreating] = useState<readonly FreeColumn[]>();
  const kindOf = (index: number): Field['kind'] | undefined =>
    fields.find(({ key }) => paths[index] === `data.${key}`)?.kind;
  const ofKinds = head.columns.map(({ values }, index) => ({ kind: kindOf(index), values }));
  const kinds = ofKinds.map(({ kind }) => kind).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it takes long, and depends on the kinds
  const found = useMemo(() => proposeSettings(ofKinds), [head, kinds]);
  const { dates } = found;
  const formats = [dates.format, ...found.columns.map((one) => one?.dateFormat ?? '')];
  // Times without a zone are most likely those of the reader.
  const timeZone = formats.some((format) => /h/i.test(format)) ? TIME_ZONE : '';
  const proposed = { decimal: found.decimal, dateFormat: dates.format, timeZone };
  const options: Options = { ...DEFAULTS, ...proposed, ...chosen };
  const drafts = head.columns.map((_, index): ColumnDraft => ({ ...found.columns[index], ...entered[index] }));
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

  const columns = head.columns.flatMap(({ key }, index) => {
    const kind = kindOf(index);
    const own = kind && columnSettings(kind, drafts[index] ?? {});
    return own ? [[key, own] as const] : [];
  });
  const free = head.columns.flatMap(({ label, name, values }, index) =>
    paths[index] || head.isMapped ? [] : [{ index, label, name, values }],
  );

  function use(created: readonly CreatedField[]): void {
    setPaths(created.reduce((next, { index, key }) => next.with(index, `data.${key}`), paths));
    setEntered({ ...entered, ...Object.fromEntries(created.map(({ index, settings }) => [index, settings])) });
    setCreating(undefined);
    setChanged(true);
  }

  function submit(dryRun: boolean): void {
    const { dateFormat, timeZone, ...rest } = options;
    const settings = {
      ...rest,
      format: head.format,
      dryRun,
      ...(omits && { invalidValues: 'omit' }),
      ...fileNameSetting(file.name),
      ...(!head.isMapped && { map: Object.fromEntries(mapped) }),
      ...(columns.length > 0 && { columns: Object.fromEntries(columns) }),
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
          drafts={drafts}
          file={{ ...options, decimal: options.decimal === ',' ? ',' : '.' }}
          onSettings={(index, draft) => {
            setEntered({ ...entered, [index]: draft });
            setChanged(true);
          }}
          onCreate={can.schema ? (index) => setCreating(free.filter((one) => one.index === index)) : undefined}
        />
      )}
      {leftOut.length > 0 && (
        <Alert color="yellow" mt="md" className="breaks">
          {t.imports.leftOut(leftOut.length, and(leftOut))}{' '}
          {can.schema
            ? t.imports.addFields(leftOut.length, <Link href={appPath(scope)}>{t.apps.pages.fields}</Link>)
            : t.imports.askForFields(leftOut.length)}
          {can.schema && (
            <Group mt="xs">
              <Button size="xs" variant="default" onClick={() => setCreating(free)}>
                {t.imports.createFields(free.length)}
              </Button>
            </Group>
          )}
        </Alert>
      )}
      {creating && (
        <create.Part
          sourceAppId={scope.sourceAppId}
          columns={creating}
          onCreated={use}
          onClose={() => setCreating(undefined)}
        />
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
          description={noteOf('timeZone') ? t.imports.timeZoneOfBrowser : t.imports.timeZoneNote}
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
  if (setting === 'columns' && column.length > 0) return t.imports.settingsOf(column.join('.'));
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
