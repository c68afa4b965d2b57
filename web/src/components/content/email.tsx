import { Fragment } from 'react';
import classes from './email.module.css';

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
  return (
    <span className={classes.email} title={email}>
      {partsOf(email).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one email do not move
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
