import classes from './change-list.module.css';
import type { Change } from './changes.ts';

/** Changes in words; those that may refuse what passed before come first and are marked by word and colour. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <p className={classes.none}>No difference</p>;
  const sorted = changes.toSorted((a, b) => Number(a.weight === 'allows') - Number(b.weight === 'allows'));
  return (
    <ul className={classes.list}>
      {sorted.map(({ weight, text }) => (
        <li key={text} className={weight === 'refuses' ? classes.refuses : classes.allows}>
          {weight === 'refuses' && <span className={classes.mark}>Careful</span>}
          {text}
        </li>
      ))}
    </ul>
  );
}
