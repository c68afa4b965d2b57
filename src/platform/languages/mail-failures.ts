/**
 * Why an email was not sent, in words, by cause (spec 4.12). A stored error begins with one of
 * these texts, by which the dashboard finds its own.
 */
export const FAILURE_WORDS = {
  password: 'the mail server refused the password',
  noPassword: 'the mail server asks for a user and a password',
  certificate: 'the certificate of the mail server is not trusted',
  encryption: 'no encrypted connection to the mail server is possible',
  name: 'the name of the mail server was not found',
  away: 'the mail server cannot be reached',
  silent: 'the mail server did not answer in time',
  closed: 'the mail server closed the connection',
  protocol: 'the server does not speak SMTP',
  connection: 'the mail server refused the connection',
  sender: 'the mail server refused the sender',
  mailbox: 'the mailbox is unknown',
  full: 'the mailbox is full',
  recipient: 'the mail server refused the recipient',
  content: 'the mail server refused the content',
  tooMany: 'the mail server got too many emails',
  later: 'the mail server asks to try again later',
  interrupted: 'the attempts were interrupted',
  unknown: 'the email was not sent',
} as const;

export type FailureCause = keyof typeof FAILURE_WORDS;

const SEPARATOR = ': ';

/** Returns the words of a cause, with what the server said, if it did. */
export const inWords = (cause: FailureCause, detail: string): string =>
  detail === '' ? FAILURE_WORDS[cause] : `${FAILURE_WORDS[cause]}${SEPARATOR}${detail}`;

/** Returns the cause of an error, and what the server said. That of a later version has none. */
export function readWords(error: string): { cause: FailureCause | undefined; detail: string } {
  for (const [cause, words] of Object.entries(FAILURE_WORDS) as [FailureCause, string][]) {
    if (error === words) return { cause, detail: '' };
    if (error.startsWith(words + SEPARATOR)) return { cause, detail: error.slice(words.length + SEPARATOR.length) };
  }
  return { cause: undefined, detail: error };
}
