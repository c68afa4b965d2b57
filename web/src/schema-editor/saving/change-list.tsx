import { t } from '../../texts/texts.ts';
import type { Change } from '../draft/changes.ts';
import classes from './change-list.module.css';

/** Lists the changes between two schema versions. Breaking changes come first and are marked. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <p className={classes.none}>{t.schemaEditor.noChanges}</p>;
  const sorted = changes.toSorted((a, b) => Number(a.impact === 'compatible') - Number(b.impact === 'compatible'));
  return (
    <ul className={classes.list}>
      {sorted.map(({ impact, text }) => (
        <li key={text} className={impact === 'breaking' ? classes.breaking : undefined}>
          {impact === 'breaking' && <span className={classes.mark}>{t.schemaEditor.breaking}</span>}
          {text}
        </li>
      ))}
    </ul>
  );
}
