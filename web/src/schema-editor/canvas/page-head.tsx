import { Button } from '@mantine/core';
import { pageTitlesIn, withPageText } from '../../connect/settings/settings-draft.ts';
import type { SettingsEditor } from '../../connect/settings/use-settings.ts';
import { conditionTexts } from '../draft/condition-texts.ts';
import classes from './canvas.module.css';
import { EditableText } from './editable-text.tsx';

interface PageHeadProps {
  page: number;
  settings: SettingsEditor;
  /** The language that is edited; empty: the one of the texts. */
  language: string;
  sheet: CSSStyleSheet;
  onDragOver: () => void;
  /** Joins the page with the one before it; undefined on the first. */
  onJoin: (() => void) | undefined;
}

/**
 * The beginning of a page: its title, which is edited where it stands. Fields are dragged onto it.
 */
export function PageHead({ page, settings, language, sheet, onDragOver, onJoin }: PageHeadProps) {
  const { draft, edit } = settings;
  const given = pageTitlesIn(draft).find((one) => one.page === page);
  const text = (language === '' ? given?.title : given?.titles?.[language]) ?? '';
  return (
    <li
      className={classes.page}
      onDragOver={(event) => {
        event.preventDefault();
        onDragOver();
      }}
    >
      <div className={classes.pageBar}>
        <span>{conditionTexts.pageNumber(page)}</span>
        {onJoin && (
          <Button variant="subtle" color="gray" size="compact-xs" onClick={onJoin}>
            {conditionTexts.joinPage(page)}
          </Button>
        )}
      </div>
      <EditableText
        part="page-title"
        name={conditionTexts.pageTitle(page)}
        text={text}
        placeholder={(language !== '' && given?.title) || conditionTexts.titleOfPage}
        lang={language || draft.locale || 'en'}
        sheet={sheet}
        onChange={(title) => edit({ pages: withPageText(draft.pages, page, language, 'title', title) })}
      />
    </li>
  );
}
