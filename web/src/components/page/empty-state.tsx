import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { PICTURES, type Subject } from './empty-pictures.tsx';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  title: string;
  /** What the list has, for its picture. */
  subject?: Subject;
  /** Explains why it is empty, and what to do next. */
  children: ReactNode;
  action?: ReactNode;
}

/** Shown instead of an empty list: a picture, a title, an explanation and an optional action. */
export function EmptyState({ title, subject = 'inbox', children, action }: EmptyStateProps) {
  return (
    <div className={classes.emptyState}>
      <svg className={classes.picture} viewBox="0 0 96 72" width="96" height="72" aria-hidden="true">
        {PICTURES[subject]}
      </svg>
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
