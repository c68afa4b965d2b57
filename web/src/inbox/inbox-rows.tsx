import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import type { Field, KeptSubmission } from '../api/endpoints.ts';
import { Email } from '../components/content/addresses.tsx';
import { Time } from '../components/content/time.tsx';
import { CheckIcon } from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
import classes from './inbox.module.css';
import { firstTexts } from './texts.ts';

interface RowsProps {
  submissions: readonly KeptSubmission[];
  fields: readonly Field[];
  isUnread: (message: KeptSubmission) => boolean;
  /** The one that is open. */
  openId: string | undefined;
  hrefOf: (id: string) => string;
}

/** One row for each submission: who, when, and the first texts. It opens the message. */
export function InboxRows({ submissions, fields, isUnread, openId, hrefOf }: RowsProps) {
  // The cursors of the page.
  const state = useHistoryState();
  return (
    <ul className={classes.list} aria-label={t.inbox.list}>
      {submissions.map((one) => {
        const isBold = one.id !== openId && isUnread(one);
        return (
          <li key={one.id} className={classes.row} data-unread={isBold || undefined}>
            <Link
              href={hrefOf(one.id)}
              state={state}
              replace={openId !== undefined}
              className={classes.summary ?? ''}
              aria-current={one.id === openId || undefined}
            >
              <span className={classes.who}>
                {isBold && <span className="visually-hidden">{t.inbox.unread} </span>}
                <Email>{one.email}</Email>
              </span>
              <span className={classes.time}>
                {one.done && (
                  <>
                    <CheckIcon size={13} />
                    <span className="visually-hidden">{t.inbox.folders.done} </span>
                  </>
                )}
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
