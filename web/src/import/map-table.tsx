import { Button, Group, NativeSelect, Table } from '@mantine/core';
import { Fragment, useState } from 'react';
import type { Field } from '../api/endpoints.ts';
import { loadLater } from '../components/page/load-later.tsx';
import { t } from '../texts/texts.ts';
import { type ColumnDraft, settingsOfKind } from './column-draft.ts';
import classes from './import-page.module.css';
import type { FileHead } from './read-file.ts';
import type { FileSettings } from './read-values.ts';
import { OTHER } from './suggest.ts';

const panel = loadLater(() => import('./column-panel.tsx').then(({ ColumnPanel }) => ColumnPanel));

interface MapTableProps {
  head: FileHead;
  fields: readonly Field[];
  hasOthers: boolean;
  paths: readonly string[];
  onChange: (paths: string[]) => void;
  /** The settings of each column. */
  drafts: readonly ColumnDraft[];
  file: FileSettings;
  onSettings: (index: number, draft: ColumnDraft) => void;
  /** Absent: the reader may not create fields. */
  onCreate: ((index: number) => void) | undefined;
}

/** The columns of a file, each with its field and its settings. */
export function MapTable(props: MapTableProps) {
  const { head, fields, hasOthers, paths, onChange, drafts, file, onSettings, onCreate } = props;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const targets = [
    { value: '', label: t.imports.leaveOut },
    { value: 'email', label: t.common.email },
    ...fields.map(({ key, label }) => ({ value: `data.${key}`, label: label || key })),
    ...(hasOthers ? [{ value: OTHER, label: t.imports.otherKeys }] : []),
  ];
  const taken = new Set(paths);
  const toggle = (index: number): void => {
    const next = new Set(open);
    if (!next.delete(index)) next.add(index);
    setOpen(next);
  };
  return (
    <section className={classes.scroll} aria-label={t.imports.columns}>
      <Table mt="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t.imports.column}</Table.Th>
            <Table.Th scope="col" className={classes.field ?? ''}>
              {t.imports.field}
            </Table.Th>
            <Table.Th scope="col" className={classes.examples ?? ''}>
              {t.imports.firstValues}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {head.columns.map(({ key, label, examples, values }, index) => {
            const path = paths[index] ?? '';
            const field = fields.find((one) => path === `data.${one.key}`);
            const hasSettings = field !== undefined && settingsOfKind(field.kind).length > 0;
            const isOpen = hasSettings && open.has(index);
            return (
              <Fragment key={key}>
                <Table.Tr>
                  <Table.Td className="breaks">{label}</Table.Td>
                  <Table.Td>
                    <NativeSelect
                      aria-label={t.imports.fieldOf(label)}
                      value={path}
                      data={targets.map((one) => ({
                        ...one,
                        disabled: one.value !== '' && one.value !== path && taken.has(one.value),
                      }))}
                      onChange={(event) => onChange(paths.with(index, event.currentTarget.value))}
                    />
                    <Group gap="xs">
                      {hasSettings && (
                        <Button
                          variant="subtle"
                          size="compact-xs"
                          mt={4}
                          aria-expanded={isOpen}
                          aria-label={t.imports.settingsOf(label)}
                          onClick={() => toggle(index)}
                        >
                          {t.imports.settings}
                        </Button>
                      )}
                      {path === '' && onCreate && (
                        <Button
                          variant="subtle"
                          size="compact-xs"
                          mt={4}
                          aria-label={t.imports.createFieldOf(label)}
                          onClick={() => onCreate(index)}
                        >
                          {t.imports.createField}
                        </Button>
                      )}
                    </Group>
                  </Table.Td>
                  <Table.Td className={`${classes.examples} breaks`}>{examples.join(' · ').slice(0, 120)}</Table.Td>
                </Table.Tr>
                {isOpen && (
                  <Table.Tr>
                    <Table.Td colSpan={3} className="breaks">
                      <panel.Part
                        label={label}
                        field={field}
                        values={values}
                        draft={drafts[index] ?? {}}
                        file={file}
                        onChange={(draft) => onSettings(index, draft)}
                      />
                    </Table.Td>
                  </Table.Tr>
                )}
              </Fragment>
            );
          })}
        </Table.Tbody>
      </Table>
    </section>
  );
}
