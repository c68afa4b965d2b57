import { Alert, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import type { Field } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';
import { type ColumnDraft, columnSettings, settingsOfKind } from './column-draft.ts';
import classes from './import-page.module.css';
import { dateFormatOf } from './proposals.ts';
import { type FileSettings, type ReadValue, readValues } from './read-values.ts';

const SHOWN = 5;
const SHOWN_PROBLEMS = 3;
const DECIMALS = [
  { value: '', label: t.imports.ofFile },
  { value: '.', label: '1.5' },
  { value: ',', label: '1,5' },
];

interface ColumnPanelProps {
  label: string;
  field: Field;
  /** The texts of the first lines. */
  values: readonly string[];
  draft: ColumnDraft;
  file: FileSettings;
  onChange: (draft: ColumnDraft) => void;
}

/** The settings of a column, and what they make of its first values. */
export function ColumnPanel({ label, field, values, draft, file, onChange }: ColumnPanelProps) {
  const column = columnSettings(field.kind, draft) ?? {};
  const read = readValues(field, file, column, values);
  const unread = read.filter(({ problem }) => problem !== undefined);
  const further = unread.filter((one) => read.indexOf(one) >= SHOWN).slice(0, SHOWN_PROBLEMS);
  const { choices } = field.kind === 'date' ? dateFormatOf(values) : { choices: [] };
  const isUndecided = choices.length > 0 && !draft.dateFormat && file.dateFormat === '';
  return (
    <section aria-label={t.imports.settingsOf(label)}>
      <div className={classes.columnSettings}>
        {settingsOfKind(field.kind).map((name) => {
          const common = {
            label: t.imports.columnSettings[name],
            value: draft[name] ?? '',
            onChange: (event: { currentTarget: { value: string } }) =>
              onChange({ ...draft, [name]: event.currentTarget.value }),
          };
          return name === 'decimal' ? (
            <NativeSelect key={name} size="xs" data={DECIMALS} {...common} />
          ) : (
            <TextInput
              key={name}
              size="xs"
              placeholder={placeholderOf(name, file)}
              description={t.imports.columnNotes[name]}
              inputWrapperOrder={['label', 'input', 'description']}
              {...common}
            />
          );
        })}
      </div>
      {isUndecided && (
        <Alert color="yellow" mt="xs" p="xs" title={t.imports.twoDateFormats}>
          <Group gap="xs">
            {choices.map((format) => (
              <Button
                key={format}
                variant="default"
                size="xs"
                onClick={() => onChange({ ...draft, dateFormat: format })}
              >
                {t.imports.chooseFormat(format)}
              </Button>
            ))}
          </Group>
        </Alert>
      )}
      {read.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="xs">
            {t.imports.becomes}
          </Text>
          <Values label={t.imports.becomesOf(label)} values={read.slice(0, SHOWN)} />
          {unread.length > 0 && (
            <Text size="sm" mt="xs" className={classes.problem ?? ''} role="status">
              {t.imports.unread(unread.length, read.length)}
            </Text>
          )}
          {further.length > 0 && <Values label={t.imports.unreadOf(label)} values={further} />}
        </>
      )}
    </section>
  );
}

const placeholderOf = (name: keyof ColumnDraft, file: FileSettings): string => {
  if (name === 'dateFormat') return file.dateFormat || 'ISO 8601';
  if (name === 'timeZone') return file.timeZone || t.imports.timeZoneOfApp;
  return { separator: ';', true: 'true, yes, on, 1', false: 'false, no, off, 0' }[name as string] ?? '';
};

function Values({ label, values }: { label: string; values: readonly ReadValue[] }) {
  return (
    <ul className={classes.reasons} aria-label={label}>
      {values.map(({ text, value, problem }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values repeat, and have no state
        <li key={index}>
          <span>{shortened(text)}</span> →{' '}
          {problem === undefined ? (
            <strong>{shortened(value ?? '')}</strong>
          ) : (
            <span className={classes.problem}>{t.imports.cannotBeRead(problem)}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

const MAX_SHOWN = 120;
const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
