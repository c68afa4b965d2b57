import { Button, Group } from '@mantine/core';
import { t } from '../texts/texts.ts';

interface FormActionsProps {
  /** The label of the button that submits the form. */
  action: string;
  color?: string;
  loading?: boolean;
  disabled?: boolean;
  onCancel: () => void;
}

/** The buttons at the end of a form in a dialog. */
export function FormActions({ action, onCancel, ...submit }: FormActionsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        {t.common.cancel}
      </Button>
      <Button type="submit" {...submit}>
        {action}
      </Button>
    </Group>
  );
}
