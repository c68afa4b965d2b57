import { Alert, Button, Group, NativeSelect, Progress, Table, TextInput } from '@mantine/core';
import { useState } from 'react';
import { fileNameSetting } from '../../../src/imports/date-format.ts';
import { ApiError } from '../api/call.ts';
import type { Field, ImportSettings } from '../api/endpoints.ts';
import type { Scope } from '../users/scope.ts';
import classes from './import-page.module.css';
import { dateFormatOf, decimalOf } from './proposals.ts';
import { useStartImport } from './queries.ts';
import type { FileHead } from './read-file.ts';
import { suggestMap } from './suggest.ts';

const MODES = [
  { value: 'upsert', label: 'Create and update users' },
  { value: 'insert', label: 'Only create users' },
  { value: 'update', label: 'Only update users' },
];
const ARRAYS = [
  { value: 'append', label: 'Append to lists' },
  { value: 'replace', label: 'Replace lists' },
];
const INVALID = [
  { value: 'skip', label: 'Leave out invalid lines' },
  { value: 'abort', label: 'Stop at an invalid line' },
];
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
  ...{ mode: 'upsert', arrays: 'append', invalid: 'skip' },
  ...{ decimal: '.', dateFormat: '', timeZone: '' },
};

/** The columns of a chosen file and how it is imported. */
export function ImportForm(props: {
  scope: Scope;
  file: File;
  head: FileHead;
  fields: readonly Field[];
  onStarted: (id: string) => void;
}) {
  const { scope, file, head, fields, onStarted } = props;
  const [map, setMap] = useState(() =>
    suggestMap(
      head.columns.map(({ name }) => name),
      fields,
    ),
  );
  const [chosen, setChosen] = useState<Partial<Options>>({});
  const valuesOf = (kind: Field['kind']): string[] =>
    head.columns.flatMap(({ name, values }) =>
      fields.some((field) => field.kind === kind && map[name] === `data.${field.key}`) ? values : [],
    );
  const dates = dateFormatOf(valuesOf('date'));
  const proposed = { decimal: decimalOf(valuesOf('number')), dateFormat: dates.format };
  const options: Options = { ...DEFAULTS, ...proposed, ...chosen };
  /** Explains the value of a setting that the reader has not set. */
  const noteOf = (name: keyof typeof proposed): string | undefined =>
    chosen[name] === undefined && proposed[name] !== DEFAULTS[name] ? 'Proposed from the values' : undefined;
  const [sent, setSent] = useState(0);
  const start = useStartImport(scope, setSent);
  const set = (name: keyof typeof options) => (event: { currentTarget: { value: string } }) =>
    setChosen({ ...chosen, [name]: event.currentTarget.value });
  const mapped = Object.entries(map).filter(([, path]) => path !== '');
  const hasEmail = head.isMapped || mapped.some(([, path]) => path === 'email');

  function submit(dryRun: boolean): void {
    const { dateFormat, timeZone, ...rest } = options;
    const settings = {
      ...rest,
      format: head.format,
      dryRun,
      ...fileNameSetting(file.name),
      ...(!head.isMapped && { map: Object.fromEntries(mapped) }),
      ...(dateFormat.trim() !== '' && { dateFormat: dateFormat.trim() }),
      ...(timeZone.trim() !== '' && { timeZone: timeZone.trim() }),
    } as ImportSettings;
    setSent(0);
    start.mutate({ file, settings }, { onSuccess: onStarted });
  }

  return (
    <>
      {head.isMapped ? (
        <Alert variant="light" mt="md">
          Each line has an email and its data, as an export writes it.
        </Alert>
      ) : (
        <MapTable head={head} fields={fields} map={map} onChange={setMap} />
      )}
      <div className={classes.options}>
        <NativeSelect label="Users" data={MODES} value={options.mode} onChange={set('mode')} />
        <NativeSelect label="Lists" data={ARRAYS} value={options.arrays} onChange={set('arrays')} />
        <NativeSelect label="Invalid lines" data={INVALID} value={options.invalid} onChange={set('invalid')} />
        <NativeSelect
          label="Numbers"
          description={noteOf('decimal')}
          inputWrapperOrder={['label', 'input', 'description']}
          data={DECIMALS}
          value={options.decimal}
          onChange={set('decimal')}
        />
        <TextInput
          label="Date format"
          placeholder="ISO 8601"
          description={noteOf('dateFormat') ?? 'Such as DD/MM/YYYY'}
          inputWrapperOrder={['label', 'input', 'description']}
          value={options.dateFormat}
          onChange={set('dateFormat')}
        />
        <TextInput
          label="Time zone"
          placeholder="That of the app"
          description="Such as Europe/Berlin"
          inputWrapperOrder={['label', 'input', 'description']}
          value={options.timeZone}
          onChange={set('timeZone')}
        />
      </div>
      {dates.choices.length > 0 && options.dateFormat === '' && (
        <Alert color="yellow" variant="light" mt="md" title="The dates of the file can be read in two ways">
          <Group gap="xs">
            {dates.choices.map((format) => (
              <Button
                key={format}
                variant="default"
                size="xs"
                onClick={() => setChosen({ ...chosen, dateFormat: format })}
              >
                Use {format}
              </Button>
            ))}
          </Group>
        </Alert>
      )}
      {start.isPending && <Progress value={sent * 100} aria-label="Sent" mt="md" />}
      {start.error && <Refusal error={start.error} />}
      <Group mt="md">
        <Button variant="default" disabled={!hasEmail} loading={start.isPending} onClick={() => submit(true)}>
          Dry run
        </Button>
        <Button disabled={!hasEmail} loading={start.isPending} onClick={() => submit(false)}>
          Import
        </Button>
        {!hasEmail && <span className={classes.hint}>Choose the column that has the email.</span>}
      </Group>
    </>
  );
}

function MapTable(props: {
  head: FileHead;
  fields: readonly Field[];
  map: Record<string, string>;
  onChange: (map: Record<string, string>) => void;
}) {
  const { head, fields, map, onChange } = props;
  const targets = [
    { value: '', label: 'Leave out' },
    { value: 'email', label: 'Email' },
    ...fields.map(({ key, label }) => ({ value: `data.${key}`, label: label || key })),
  ];
  const taken = new Set(Object.values(map));
  return (
    <section className={classes.scroll} aria-label="Columns of the file">
      <Table mt="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Column</Table.Th>
            <Table.Th scope="col">Field</Table.Th>
            <Table.Th scope="col" className={classes.examples ?? ''}>
              First values
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {head.columns.map(({ name, examples }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a file do not move, and names can repeat.
            <Table.Tr key={index}>
              <Table.Td className="breaks">{name}</Table.Td>
              <Table.Td>
                <NativeSelect
                  aria-label={`Field of ${name}`}
                  value={map[name] ?? ''}
                  data={targets.map((one) => ({
                    ...one,
                    disabled: one.value !== '' && one.value !== map[name] && taken.has(one.value),
                  }))}
                  onChange={(event) => onChange({ ...map, [name]: event.currentTarget.value })}
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
  const issues = error instanceof ApiError ? error.issues : [];
  return (
    <Alert color="red" variant="light" role="alert" mt="md" title="The import was not started">
      {error.message}. {issues.map(({ path, message }) => `${path} ${message}`).join('. ')}
    </Alert>
  );
}
