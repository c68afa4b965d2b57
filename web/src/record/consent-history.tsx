import type { ConsentEntry } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { t } from '../texts/texts.ts';
import classes from './consent-history.module.css';
import { useNewestFirst } from './newest-first.tsx';

/** Lists the changes of consents, newest first. The page is text, because anyone can submit it. */
export function ConsentHistory({ entries }: { entries: readonly ConsentEntry[] }) {
  const { newest, more } = useNewestFirst(entries);
  return (
    <>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t.record.change}</th>
            <th scope="col">{t.common.time}</th>
          </tr>
        </thead>
        <tbody>
          {newest.map(({ index, item: { key, given, at, version, schemaVersion, label, page } }) => (
            <tr key={index}>
              <td>
                {given ? t.record.agreed(label || key, version) : t.record.withdrew(label || key, version)}
                <span className={classes.note}>{t.record.keyInVersion(key, schemaVersion)}</span>
                {page !== undefined && <span className={classes.note}>{t.record.onPage(page)}</span>}
              </td>
              <td className={classes.time}>
                <Time at={at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </>
  );
}
