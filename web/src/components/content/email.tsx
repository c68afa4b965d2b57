import { Fragment } from 'react';
import classes from './email.module.css';

interface EmailProps {
  children: string;
  /** Whether it is one line, which the element around it cuts. */
  isLine?: boolean;
}

/**
 * An email. A long one breaks after `@`, and where that is not enough after a dot. A part that is
 * longer than its line is cut, and the title has the whole.
 */
export function Email({ children: email, isLine = false }: EmailProps) {
  if (isLine) return <span title={email}>{email}</span>;
  const end = email.lastIndexOf('@') + 1;
  return (
    <span className={classes.email} title={email}>
      {end > 0 && <Parts>{email.slice(0, end)}</Parts>}
      <span className={classes.domain}>
        <Parts>{email.slice(end)}</Parts>
      </span>
    </span>
  );
}

function Parts({ children: text }: { children: string }) {
  return [...text.matchAll(/[^@.]+[@.]*|[@.]+/g)].map(({ 0: part, index }) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
