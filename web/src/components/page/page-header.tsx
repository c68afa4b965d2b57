import { Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './page-header.module.css';

/** The title of a page with an optional note and actions. Sets the document title too. */
export function PageHeader({ title, note, children }: { title: string; note?: ReactNode; children?: ReactNode }) {
  useDocumentTitle(`${title} · User Collection`);
  return (
    <header className={classes.header}>
      <div className={classes.text}>
        <Title order={1} size="h2" className={classes.title}>
          {title}
        </Title>
        {note && <div className={classes.note}>{note}</div>}
      </div>
      {children && <div className={`${classes.actions} icons-on-phone`}>{children}</div>}
    </header>
  );
}
