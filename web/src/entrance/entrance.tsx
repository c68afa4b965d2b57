import { Paper, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { Logo } from '../components/icons.tsx';
import { LanguageChoice } from '../shell/language-choice.tsx';
import classes from './entrance.module.css';

interface EntranceProps {
  /** Of the document. */
  title: string;
  /** Above the card, instead of the name of the service. */
  heading?: string;
  /** Below the card. */
  note?: ReactNode;
  /** Is called before the page loads again in another language. */
  onLanguage?: () => void;
  children: ReactNode;
}

const ReloadContext = createContext<(isAllowed: boolean) => void>(() => undefined);

/** Hides the choice of the language, which loads the page again, while the component is shown. */
export function useNoReload(): void {
  const allowReload = useContext(ReloadContext);
  useEffect(() => {
    allowReload(false);
    return () => allowReload(true);
  }, [allowReload]);
}

/** The frame of the pages without a session: one card below the logo. */
export function Entrance({ title, heading = 'User Collection', note, onLanguage, children }: EntranceProps) {
  const [canReload, setCanReload] = useState(true);
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
          <ReloadContext value={setCanReload}>{children}</ReloadContext>
        </Paper>
        {note && <div className={classes.hint}>{note}</div>}
        {canReload && <LanguageChoice {...(onLanguage && { onChange: onLanguage })} />}
      </div>
    </main>
  );
}
