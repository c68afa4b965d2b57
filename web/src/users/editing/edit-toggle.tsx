import { Button } from '@mantine/core';
import { PenIcon } from '../../components/icons.tsx';
import { t } from '../../texts/texts.ts';

/** Switches the table between opening records and changing values. */
export function EditToggle({ isOn, onToggle }: { isOn: boolean; onToggle: (isOn: boolean) => void }) {
  return (
    <Button
      variant={isOn ? 'light' : 'subtle'}
      size="compact-sm"
      leftSection={<PenIcon size={14} />}
      aria-pressed={isOn}
      onClick={() => onToggle(!isOn)}
    >
      {t.users.editInTable}
    </Button>
  );
}
