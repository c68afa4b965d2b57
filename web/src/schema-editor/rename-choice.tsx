import { Radio, Stack } from '@mantine/core';
import { t } from '../texts/texts.ts';
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
      label={t.schemaEditor.valuesOf(from)}
      value={keepsData ? 'keep' : 'empty'}
      onChange={(value) => onChoose(value === 'keep')}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="keep" label={t.schemaEditor.keepData} description={t.schemaEditor.keepDataNote(to)} />
        <Radio value="empty" label={t.schemaEditor.startEmpty} description={t.schemaEditor.startEmptyNote(from)} />
      </Stack>
    </Radio.Group>
  );
}
