import { Button, type ButtonProps } from '@mantine/core';
import type { PenIcon } from '../components/icons.tsx';

interface ListActionProps extends ButtonProps {
  Icon: typeof PenIcon;
  isDangerous?: boolean;
  'aria-pressed'?: boolean;
  onClick: () => void;
}

/** A button above the table: what can be done with its users, or with those that are selected. */
export function ListAction({ Icon, isDangerous, ...button }: ListActionProps) {
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<Icon size={14} />}
      {...(isDangerous && { c: 'var(--mantine-color-error)' })}
      {...button}
    />
  );
}
