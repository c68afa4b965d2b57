import { FullValue } from '../../record/full-value.tsx';
import { t } from '../../texts/texts.ts';
import classes from '../privacy.module.css';

/** Keys of `data` have no names: each app has its own. */
const NAMES: Partial<Record<string, string>> = t.privacy.members;

/** An entry as text: first `data`, then the other members. */
export function EntryData({ members: { data, ...others } }: { members: { data?: unknown } }) {
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  const ofData: [string, unknown][] = isObject ? Object.entries(data) : data === undefined ? [] : [['data', data]];
  const rows = [
    ...ofData.map(([key, value]) => ({ id: `data.${key}`, name: key, value })),
    ...Object.entries(others).map(([key, value]) => ({ id: key, name: NAMES[key] ?? key, value })),
  ];
  return (
    <dl className={classes.data}>
      {rows.map(({ id, name, value }) => (
        <div key={id}>
          <dt>{name}</dt>
          <dd>
            <FullValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
