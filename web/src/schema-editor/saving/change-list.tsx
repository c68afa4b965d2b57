import { t } from '../../texts/texts.ts';
import type { Change } from '../draft/changes.ts';
import classes from './change-list.module.css';

interface ChangeListProps {
  changes: readonly Change[];
  /** Whether the app has records, which a breaking change concerns. Only then it is marked. */
  hasRecords?: boolean;
}

/** Lists the changes between two schema versions. Breaking changes come first and are marked. */
export function ChangeList({ changes, hasRecords = true }: ChangeListProps) {
  if (changes.length === 0) return <p className={classes.none}>{t.schemaEditor.noChanges}</p>;
  const sorted = changes.toSorted((a, b) => Number(a.impact === 'compatible') - Number(b.impact === 'compatible'));
  return (
    <ul className={classes.list}>
      {sorted.map(({ impact, text }) => (
        <li key={text} className={hasRecords && impact === 'breaking' ? classes.breaking : undefined}>
          {hasRecords && impact === 'breaking' && <span className={classes.mark}>{t.schemaEditor.breaking}</span>}
          {text}
        </li>
      ))}
    </ul>
  );
}
