import { Button } from '@mantine/core';

interface RemoveButtonProps {
  /** Names what is removed, for screen readers. */
  label: string;
  loading?: boolean;
  onClick: () => void;
  children: string;
}

/** The button of a row that removes what the row shows. */
export function RemoveButton({ label, loading = false, onClick, children }: RemoveButtonProps) {
  return (
    <Button size="xs" variant="subtle" color="red" loading={loading} aria-label={label} onClick={onClick}>
      {children}
    </Button>
  );
}
