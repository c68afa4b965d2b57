import { Button, Menu, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { ComponentProps } from 'react';
import { t } from '../../texts/texts.ts';
import type { UserColumns } from '../columns.tsx';
import { excelDelimiter } from './delimiter.ts';

/** The format and the options of an export. */
export interface FileFormat {
  format: 'csv' | 'json' | 'ndjson' | 'zip';
  bom?: true;
  delimiter?: ';';
  columns?: string;
  headers?: 'labels';
}

const FOR_EXCEL: Pick<FileFormat, 'delimiter'> = excelDelimiter(navigator.language) === ';' ? { delimiter: ';' } : {};

interface CsvOptions {
  onlyShown: boolean;
  labels: boolean;
}

interface FormatMenuProps {
  button: ComponentProps<typeof Button>;
  /** The users of the file, in words. */
  users: string;
  columns: UserColumns;
  /** Whether the app has a field of files. */
  hasFiles: boolean;
  onChoose: (format: FileFormat) => void;
}

/** A button with the formats of an export. This browser keeps the options. */
export function FormatMenu({ button, users, columns, hasFiles, onChoose }: FormatMenuProps) {
  const [options, setOptions] = useLocalStorage<CsvOptions>({
    key: 'export options',
    defaultValue: { onlyShown: false, labels: false },
  });
  const csv: FileFormat = {
    format: 'csv',
    ...(options.onlyShown && { columns: columns.shown.join(',') }),
    ...(options.labels && { headers: 'labels' }),
  };
  return (
    <Menu>
      <Menu.Target>
        <Button {...button} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{users}</Menu.Label>
        <Menu.Item onClick={() => onChoose({ ...csv, ...FOR_EXCEL, bom: true })}>
          {t.users.export.spreadsheets}
          <Text size="xs" maw={260}>
            {FOR_EXCEL.delimiter ? t.users.export.semicolons : t.users.export.commas}
          </Text>
        </Menu.Item>
        <Menu.Item onClick={() => onChoose(csv)}>{t.users.export.programs}</Menu.Item>
        <Menu.Item onClick={() => onChoose({ format: 'json' })}>{t.users.export.json}</Menu.Item>
        <Menu.Item onClick={() => onChoose({ format: 'ndjson' })}>{t.users.export.ndjson}</Menu.Item>
        {hasFiles && <Menu.Item onClick={() => onChoose({ ...csv, format: 'zip' })}>{t.users.export.zip}</Menu.Item>}
        <Menu.Divider />
        <Menu.Label>{t.users.export.options}</Menu.Label>
        <Menu.CheckboxItem
          checked={options.onlyShown}
          closeMenuOnClick={false}
          onChange={(onlyShown) => setOptions((before) => ({ ...before, onlyShown }))}
        >
          {t.users.export.onlyShown}
        </Menu.CheckboxItem>
        <Menu.CheckboxItem
          checked={options.labels}
          closeMenuOnClick={false}
          onChange={(labels) => setOptions((before) => ({ ...before, labels }))}
        >
          {t.users.export.labels}
        </Menu.CheckboxItem>
      </Menu.Dropdown>
    </Menu>
  );
}
