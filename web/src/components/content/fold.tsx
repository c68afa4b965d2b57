import type { ReactNode } from 'react';
import { RightIcon } from '../icons.tsx';
import classes from './fold.module.css';

interface FoldProps {
  /** What is always shown, as the line that opens the rest. */
  summary: ReactNode;
  className?: string | undefined;
  /** Whether it is open at first. */
  isOpen?: boolean;
  children: ReactNode;
}

/** A line that opens to show what is below it. */
export function Fold({ summary, className = '', isOpen = false, children }: FoldProps) {
  return (
    <details className={`${classes.fold} ${className}`} open={isOpen}>
      <summary className={classes.summary}>
        <RightIcon size={14} />
        <span className={classes.words}>{summary}</span>
      </summary>
      {children}
    </details>
  );
}
