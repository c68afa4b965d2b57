import { Fragment } from 'react';
import classes from './addresses.module.css';

interface EmailProps {
  children: string;
  /** Whether it is one line, which the element around it cuts. */
  isLine?: boolean;
}

/** A name, or a domain, of so many characters is not broken. */
const MAX_WHOLE = 16;

/**
 * An email. A long one breaks after `@`, and a long name or domain of it after a dot. A part that
 * is longer than its line is cut, and the title has the whole.
 */
export function Email({ children: email, isLine = false }: EmailProps) {
  if (isLine) return <span title={email}>{email}</span>;
  return <Parts text={email} parts={partsOf(email)} />;
}

/** A URL. It breaks after a slash only; a part that is longer than its line is cut. */
export function Url({ children: url }: { children: string }) {
  return <Parts text={url} parts={url.match(/[^/]+\/*|\/+/g) ?? []} />;
}

/** A text that breaks between its parts. */
function Parts({ text, parts }: { text: string; parts: readonly string[] }) {
  return (
    <span className={classes.whole} title={text}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text do not move
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}

function partsOf(email: string): string[] {
  const end = email.lastIndexOf('@') + 1;
  return [email.slice(0, end), email.slice(end)].flatMap((part) =>
    part.length > MAX_WHOLE ? (part.match(/[^@.]+[@.]*|[@.]+/g) ?? []) : part,
  );
}
