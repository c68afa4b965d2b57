import { Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './page-header.module.css';

interface PageHeaderProps {
  title: string;
  /** What the page shows of the title. Default: its text. */
  heading?: ReactNode;
  note?: ReactNode;
  children?: ReactNode;
}

/** The title of a page with an optional note and actions. Sets the document title too. */
export function PageHeader({ title, heading = title, note, children }: PageHeaderProps) {
  useDocumentTitle(`${title} · User Collection`);
  return (
    <header className={classes.header}>
      <div className={classes.text}>
        <Title order={1} size="h2" className={classes.title}>
          {heading}
        </Title>
        {note && <div className={classes.note}>{note}</div>}
      </div>
      {children && <div className={`${classes.actions} icons-on-phone`}>{children}</div>}
    </header>
  );
}
