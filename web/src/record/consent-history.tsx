import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ConsentEntry } from '../api/endpoints.ts';
import { Time } from '../components/time.tsx';
import { t } from '../texts/texts.ts';
import classes from './consent-history.module.css';

/** Number of entries to show initially and to add with each press of the button. */
const STEP = 20;

/** Lists the changes of consents, newest first. The page is text, because anyone can submit it. */
export function ConsentHistory({ entries }: { entries: readonly ConsentEntry[] }) {
  const [shown, setShown] = useState(STEP);
  const newestFirst = entries.map((entry, index) => ({ ...entry, index })).reverse();
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
          {newestFirst.slice(0, shown).map(({ index, key, given, at, version, schemaVersion, label, page }) => (
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
      {entries.length > shown && (
        <Button variant="subtle" size="xs" m="md" onClick={() => setShown(shown + STEP)}>
          {t.record.showMore(Math.min(STEP, entries.length - shown), entries.length)}
        </Button>
      )}
    </>
  );
}
