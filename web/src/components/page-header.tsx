import { Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './page-header.module.css';

/** The name of a page, also in the browser's title, with what one can do on it. */
export function PageHeader({ title, note, children }: { title: string; note?: ReactNode; children?: ReactNode }) {
  useDocumentTitle(`${title} · User Collection`);
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        <Title order={1} size="h2" className={classes.title}>
          {title}
        </Title>
        {note && <div className={classes.note}>{note}</div>}
      </div>
      {children && <div className={classes.actions}>{children}</div>}
    </header>
  );
}
