import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { InboxIcon } from '../icons.tsx';
import classes from './empty-state.module.css';

/** Shown instead of an empty list: a title, an explanation and an optional next action. */
export function EmptyState({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes.emptyState}>
      <span className={classes.icon}>
        <InboxIcon size={28} />
      </span>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text size="md" c="dimmed" maw={440}>
        {children}
      </Text>
      {action}
    </div>
  );
}
