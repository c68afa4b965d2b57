import { sentence } from '../../fields/markup/field-markup.ts';
import { NEW_CHALLENGE } from '../bots/challenges.ts';

/** What a person reads about a refused submission. */
interface Advice {
  title: string;
  /** What to do. */
  text: string;
}

const ADVICE: Readonly<Record<number, Advice>> = {
  400: {
    title: 'There is a problem with your entries',
    text: 'Nothing was sent. Correct the entries and send the form again.',
  },
  403: {
    title: 'The form was not accepted',
    text: 'Nothing was stored. Tell the owner of the site that showed you the form.',
  },
  404: {
    title: 'This form does not exist',
    text: 'Check the address. The form may have been renamed or removed.',
  },
  409: {
    title: 'There is no room for this entry',
    text: 'Nothing was stored. Tell the owner of the form that a list is full.',
  },
  413: {
    title: 'The entries are too long',
    text: 'Nothing was stored. Shorten your entries and send the form again.',
  },
  415: {
    title: 'The form was sent in a format that cannot be read',
    text: 'Nothing was stored. Tell the owner of the site that showed you the form.',
  },
  422: {
    title: 'This form was already sent with other entries',
    text: 'The earlier entries are stored. To send these as well, send the form again.',
  },
  429: {
    title: 'Too many submissions',
    text: 'Nothing was stored. Wait a minute, then send the form again.',
  },
  503: {
    title: 'The service is not available at the moment',
    text: 'Wait a moment, then send the form again. It is stored once, however often you send it.',
  },
};

const OTHER: Advice = {
  title: 'The form could not be sent',
  text: 'Try again later. If it fails again, tell the owner of the site that showed you the form.',
};

/** The only 403 for which another attempt helps: the page solves a new challenge. */
const ATTEMPT: Advice = {
  title: 'The form was not accepted',
  text: 'Nothing was stored. Open the page with the form again, then send it once more.',
};

/** Returns what a person reads about a refusal with this status and message. */
export function adviceFor(status: number, message = ''): Advice {
  return status === 403 && message.endsWith(NEW_CHALLENGE) ? ATTEMPT : (ADVICE[status] ?? OTHER);
}

/** Returns the message of an error as a sentence with its full stop. */
export function statement(message: string): string {
  return /[.!?]$/.test(message) ? sentence(message) : `${sentence(message)}.`;
}
