import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { checkboxProps } from '../components/form/input.ts';
import { ColumnsIcon } from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
import classes from './column-chooser.module.css';
import type { UserColumns } from './columns.tsx';

export function ColumnChooser({ columns }: { columns: UserColumns }) {
  return (
    <Popover trapFocus returnFocus position="bottom-end">
      <Popover.Target>
        <Button variant="default" leftSection={<ColumnsIcon size={16} />}>
          {t.users.chooseColumns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.users.shownColumns}>
        <Stack gap="xs" className={classes.list ?? ''}>
          {columns.all
            .filter(({ id }) => id !== 'email')
            .map(({ id, header }) => (
              <Checkbox
                key={id}
                label={header}
                {...checkboxProps(columns.visibility[id] !== false, (isChecked) => columns.setVisible(id, isChecked))}
              />
            ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
