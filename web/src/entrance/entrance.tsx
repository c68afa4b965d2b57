import { Paper, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Logo } from '../components/icons.tsx';
import classes from './entrance.module.css';

interface EntranceProps {
  /** Of the document. */
  title: string;
  /** Above the card, instead of the name of the service. */
  heading?: string;
  /** Below the card. */
  note?: ReactNode;
  children: ReactNode;
}

/** The frame of the pages without a session: one card below the logo. */
export function Entrance({ title, heading = 'User Collection', note, children }: EntranceProps) {
  useDocumentTitle(`${title} · User Collection`);
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <div className={classes.brand}>
          <Logo size={40} />
          <Title order={1} size="h3" ta="center">
            {heading}
          </Title>
        </div>
        <Paper withBorder p="xl" radius="lg" shadow="sm">
          {children}
        </Paper>
        {note && <div className={classes.hint}>{note}</div>}
      </div>
    </main>
  );
}
