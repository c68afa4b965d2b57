import { Fragment } from 'react';
import classes from './email.module.css';

/**
 * An email. A long one breaks after `@` or a dot. A part that is longer than its line is cut, and
 * the title has the whole.
 */
export function Email({ children: email }: { children: string }) {
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
