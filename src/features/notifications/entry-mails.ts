import type { ObjectId, UUID } from 'mongodb';
import type { RecordId } from '../../core/users/users.model.ts';
import { idsOf } from './confirmation.ts';
import type { LinkTarget, LinkTokens } from './link-tokens.ts';
import type { MailDocument, MailQueue } from './mail-queue.ts';
import type { MailRates } from './mail-rates.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a link to an entry is valid (spec 4.16). */
export const ENTRY_LINK_MS = DAY_MS;

/** The most emails with a link to an entry, in each of these times. */
const LIMITS = [
  { max: 3, ms: HOUR_MS },
  { max: 6, ms: DAY_MS },
] as const;

/** The record to whose person a link is sent. */
interface EntryRecord {
  appId: ObjectId;
  recordId: RecordId;
  /** The last change of its email. */
  emailChange: UUID | undefined;
}

export type EntryMails = ReturnType<typeof createEntryMails>;

/**
 * The emails with links to entries (spec 4.16). Each is written with a new link when it is sent.
 */
export function createEntryMails(deps: {
  queue: Pick<MailQueue, 'add' | 'ofRecord'>;
  rates: Pick<MailRates, 'confirmationTime'>;
  /** The time of the queue. */
  now: () => number;
  wake(): void;
}) {
  const { queue, rates, now, wake } = deps;

  return {
    /**
     * Plans an email. Those of a record are numbered, so of servers that plan one at the same time
     * one succeeds. Resolves with the milliseconds until a limit allows another one; 0: it is
     * planned, perhaps for a later hour.
     * @param lang the language of the person, if the app has several
     */
    async plan({ appId, recordId, emailChange }: EntryRecord, lang?: string): Promise<number> {
      const earlier = await queue.ofRecord(recordId, 'entry');
      const waitMs = waitAfter(earlier, now());
      if (waitMs > 0) return waitMs;
      const at = await rates.confirmationTime(appId);
      if (!at) return HOUR_MS;
      const nextAt = new Date(Math.max(at.getTime(), now()));
      const _id = `${idsOf('entry', recordId, emailChange)}${1 + Math.max(0, ...earlier.map(numberOf))}`;
      const mail = { _id, appId, purpose: 'entry', recordId, nextAt } as const;
      await queue.add([{ ...mail, ...(lang !== undefined && { lang }) }]);
      wake();
      return 0;
    },
  };
}

type EarlierMail = Pick<MailDocument, '_id' | 'createdAt'>;

function waitAfter(earlier: readonly EarlierMail[], now: number): number {
  const ages = earlier.map(({ createdAt }) => now - createdAt.getTime()).sort((one, other) => one - other);
  return Math.max(0, ...LIMITS.map(({ max, ms }) => ms - (ages[max - 1] ?? ms)));
}

const numberOf = ({ _id }: EarlierMail): number => Number(_id.slice(_id.lastIndexOf(':') + 1));

/** Returns the path of a new link to an entry. @param lang the language, if the app has several */
export const createEntryLinks =
  (tokens: Pick<LinkTokens, 'issue'>) =>
  (sourceAppId: string, appId: ObjectId, link: LinkTarget, lang?: string): string => {
    const path = `/f/${encodeURIComponent(sourceAppId)}/entry/${tokens.issue(appId, link)}`;
    return lang === undefined ? path : `${path}?lang=${lang}`;
  };

export type EntryLinkPath = ReturnType<typeof createEntryLinks>;
