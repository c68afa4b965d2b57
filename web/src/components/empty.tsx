import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty.module.css';
import { InboxIcon } from './icons.tsx';

/** Nothing to show: says why, and what to do next. */
export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes.empty}>
      <span className={classes.picture}>
        <InboxIcon size={28} />
      </span>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw={440}>
        {children}
      </Text>
      {action}
    </div>
  );
}
