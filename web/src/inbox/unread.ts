import { useLocalStorage } from '@mantine/hooks';
import type { KeptSubmission } from '../api/endpoints.ts';
import { useSession } from '../session/session.ts';
import type { Scope } from '../users/scope.ts';

/** The most opened messages of an app that this browser keeps. */
const MAX_OPENED = 500;

/** What this browser knows of the messages of an app. */
interface ReadMessages {
  /** Messages of this time and before are read. */
  since: string;
  /** The id and the time of each later message that was opened, oldest first. */
  opened: readonly (readonly [id: string, at: string])[];
}

type Message = Pick<KeptSubmission, 'id' | 'at' | 'done'>;

/**
 * Which messages of an app are unread in this browser: those that arrived after a time, are not
 * done, and were not opened here. At the first visit the time is `start`. "Mark all as read" sets
 * it to that of the newest message. When more than 500 messages were opened after it, it becomes
 * that of the oldest one of them, so messages before that one are read too.
 *
 * @param start undefined until it is known
 */
export function useUnread({ sourceAppId }: Scope, start: string | undefined) {
  const { data: session } = useSession();
  const identity = session && session.state !== 'loggedOut' ? session.identity : '';
  const [stored, setStored] = useLocalStorage<ReadMessages | undefined>({
    key: ['messages read by', identity, sourceAppId].join(' '),
    getInitialValueInEffect: false,
  });
  const read = stored ?? (start === undefined ? undefined : { since: start, opened: [] });
  return {
    /** Whether a message is unread. */
    has: ({ id, at, done }: Message): boolean =>
      read !== undefined && !done && at > read.since && !read.opened.some(([opened]) => opened === id),

    /** Stores the time of the first visit. */
    begin: (): void => {
      if (!stored && read) setStored(read);
    },

    open: (message: Message): void => {
      if (read) setStored(withOpened(read, message));
    },

    /** Marks the messages up to a time as read. */
    readUntil: (since: string): void => setStored({ since, opened: [] }),
  };
}

function withOpened({ since, opened }: ReadMessages, { id, at }: Message): ReadMessages {
  const all = [...opened, [id, at] as const].sort(([, one], [, other]) => (one < other ? -1 : 1));
  const [oldest] = all;
  if (all.length <= MAX_OPENED || !oldest) return { since, opened: all };
  return { since: oldest[1], opened: all.filter(([, time]) => time > oldest[1]) };
}
