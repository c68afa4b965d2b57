import { Radio, Stack } from '@mantine/core';
import type { FieldRename } from './field-renames.ts';
import classes from './merge-dialog.module.css';

interface RenameChoiceProps {
  rename: FieldRename;
  onChoose: (keepsData: boolean) => void;
}

/** Asks for the new place of the stored values of a renamed field. */
export function RenameChoice({ rename: { from, to, keepsData }, onChoose }: RenameChoiceProps) {
  return (
    <Radio.Group
      className={classes.row ?? ''}
      label={`Stored values of ${from}`}
      value={keepsData ? 'keep' : 'empty'}
      onChange={(value) => onChoose(value === 'keep')}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="keep" label="Keep the data" description={`They move to ${to}, in the background`} />
        <Radio value="empty" label="Start empty" description={`They stay under ${from}, which is no field any more`} />
      </Stack>
    </Radio.Group>
  );
}
