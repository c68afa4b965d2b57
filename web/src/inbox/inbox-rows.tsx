import { Badge } from '@mantine/core';
import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import type { Field, KeptSubmission } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { t } from '../texts/texts.ts';
import classes from './inbox.module.css';
import { firstTexts } from './texts.ts';

interface RowsProps {
  submissions: readonly KeptSubmission[];
  fields: readonly Field[];
  /** When the reader last looked: later ones are marked. */
  lastLook: string | undefined;
  /** The one that is open. */
  openId: string | undefined;
  hrefOf: (id: string) => string;
}

/** One row for each submission: who, when, and the first texts. It opens the message. */
export function InboxRows({ submissions, fields, lastLook, openId, hrefOf }: RowsProps) {
  // The cursors of the page.
  const state = useHistoryState();
  return (
    <ul className={classes.list} aria-label={t.inbox.list}>
      {submissions.map((one) => {
        const isNew = lastLook !== undefined && one.at > lastLook;
        return (
          <li key={one.id} className={classes.row} data-new={isNew || undefined}>
            <Link
              href={hrefOf(one.id)}
              state={state}
              replace={openId !== undefined}
              className={classes.summary ?? ''}
              aria-current={one.id === openId || undefined}
            >
              <span className={classes.who}>
                <strong className="breaks">{one.email}</strong>
                {isNew && (
                  <Badge size="sm" ml={8}>
                    {t.inbox.new}
                  </Badge>
                )}
              </span>
              <span className={classes.time}>
                <Time at={one.at} relative />
              </span>
              <span className={classes.text}>{firstTexts(one.data, fields) || t.held.noData}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
