import { Fragment } from 'react';
import classes from './email.module.css';

interface EmailProps {
  children: string;
  /** Whether it is one line, which the element around it cuts. */
  isLine?: boolean;
}

/**
 * An email. A long one breaks after `@` or a dot. A part that is longer than its line is cut, and
 * the title has the whole.
 */
export function Email({ children: email, isLine = false }: EmailProps) {
  if (isLine) return <span title={email}>{email}</span>;
  return (
    <span className={classes.email} title={email}>
      {[...email.matchAll(/[^@.]+[@.]*|[@.]+/g)].map(({ 0: part, index }) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}
